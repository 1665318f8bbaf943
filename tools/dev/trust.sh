#!/usr/bin/env bash
# trust.sh: what gsort was put through, in numbers: faults by kind, signals survived, executions of the fuzz targets,
# on which machine and when. Exit status 1: something was found.
#   tools/dev/trust.sh [--build DIR] [--minutes M] [--out DIR] [--coverage] [--mutate] [-- OPTION...]
#   tools/dev/trust.sh --pack DIR
# --build     the programs are in DIR; else they are made in build/trust. Only bash and Python 3 are needed then
# --minutes   of fuzzing, shared by the targets, on all processors; default 10
# --out       what is printed is also in DIR/trust.txt, logs and what was found beside it; default build/trust/out
# --coverage  also lines and branches that the tests run (tools/dev/coverage.sh: makes a build of its own)
# --mutate    also faults that are planted in a copy, one by one, for the tests to see (tools/dev/mutate: half an hour,
#             needs what builds gsort)
# -- OPTION   of tests/faults/run_faults.py instead of --full --signals 400: every fault, 400 signals of each kind
# --pack      makes the programs with the libraries that a bare system lacks, for --build on another machine
set -euo pipefail
unset GS_TEST_THIRD # what is counted here is whole, also as a part of tools/test.sh
root=$(cd "$(dirname "$0")/../.." && pwd)
dir='' minutes=10 out=$root/build/trust/out has_coverage=false has_mutate=false packed='' faults=(--full --signals 400)

# By clang, with libFuzzer and sanitizers, where it is; else what CTest runs.
pack() {
    local fuzz=build/cpu-only/tests file targets
    cmake --preset cpu-only -DGSORT_TESTS=ON >/dev/null
    cmake --build --preset cpu-only --target gsort gsort-faults >/dev/null
    if command -v clang >/dev/null; then
        fuzz=build/fuzz/tests
        cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang \
            -DCMAKE_CXX_COMPILER=clang++ -DGSORT_CUDA=OFF -DGSORT_FUZZ=ON -DGSORT_SANITIZE=address,undefined >/dev/null
    fi
    mapfile -t targets < <(basename -s .c tests/fuzz/fuzz_*.c | grep -v 'fuzz_file$\|fuzz_main')
    cmake --build "${fuzz%/tests}" --target "${targets[@]}" >/dev/null
    mkdir -p "$1"
    cp build/cpu-only/bin/gsort build/cpu-only/tests/gsort-faults "${targets[@]/#/$fuzz/}" "$1"
    ldd "$1"/gsort-faults "$1"/fuzz_* | awk '/liburing|libhwy|libxxhash|libzstd|libz\.|libjansson/ { print $3 }' | sort -u |
        while read -r file; do cp -L "$file" "$1"; done
}

while [ $# -gt 0 ]; do
    case $1 in
    --pack) packed=$(realpath -m "$2") && shift ;;
    --build) dir=$(realpath "$2") && shift ;;
    --minutes) minutes=$2 && shift ;;
    --out) out=$(realpath -m "$2") && shift ;;
    --coverage) has_coverage=true ;;
    --mutate) has_mutate=true ;;
    --) faults=("${@:2}") && break ;;
    *) echo "trust.sh: $1: no such option" >&2 && exit 2 ;;
    esac
    shift
done
cd "$root"
if [ -n "$packed" ]; then
    pack "$packed"
    exit
fi
[ -n "$dir" ] || { dir=$root/build/trust/programs && pack "$dir"; }
export LD_LIBRARY_PATH=$dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

machine() {
    "$dir/gsort" --version | head -1
    date '+%Y-%m-%d %H:%M'
    awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo
    echo "$(nproc) processors, Linux $(uname -r)"
}

# Seconds a target, so that all take the minutes that there are.
fuzz() {
    local targets
    mapfile -t targets < <(cd "$dir" && printf '%s\n' fuzz_* | sed 's/^fuzz_//')
    local seconds=$((minutes * 60 / ${#targets[@]}))
    [ $seconds -gt 0 ] || seconds=1
    local status=0
    grep -qa 'libFuzzer' "$dir/fuzz_${targets[0]}" || echo "skipped libFuzzer: no clang where this was built; damaged corpora instead"
    tools/dev/fuzz.sh --bin "$dir" --work "$work" $seconds "${targets[@]}" || status=1
    echo "$seconds s each on all processors"
    cp -r "$work"/*.log "$work/found" "$out"
    return $status
}

coverage() {
    tools/dev/coverage.sh >"$out/coverage.log" 2>&1 || { tail -20 "$out/coverage.log" && return 1; }
    grep 'lines .* branches' "$out/coverage.log"
}

# Those that are seen are in the log; what is left says which were not, and how many there are.
mutate() {
    local status=0
    tools/dev/mutate >"$out/mutate.log" 2>&1 || status=1
    grep -v '^SEEN' "$out/mutate.log"
    return $status
}

# One part of it: what it prints, with a title.
found=0
part() {
    echo && echo "$1:"
    "${@:2}" || found=1
}

{
    machine
    part "faults and signals" python3 tests/faults/run_faults.py "$dir" --numbers "${faults[@]}"
    part "fuzzing" fuzz
    ! $has_coverage || part "coverage" coverage
    ! $has_mutate || part "planted faults" mutate
    echo
    [ $found -eq 0 ] || { echo "FOUND SOMETHING" && exit 1; }
    echo "nothing was found"
} | tee "$out/trust.txt"
