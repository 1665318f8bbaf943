#!/usr/bin/env bash
# fuzz.sh: fuzzes each target, beginning with its corpus in tests/fuzz/corpus, and prints how often it ran.
#   tools/dev/fuzz.sh [--bin DIR] [--work DIR] [--jobs N] SECONDS [TARGET...]     default: all targets, all processors
# Each target runs for so many seconds, one after the other. Needs clang 14 or later, to build them for libFuzzer in build/fuzz. With --bin
# they exist, maybe built by another compiler (fuzz_main.c). Findings are in WORK/found, logs in WORK, new corpora in WORK/corpus (WORK:
# build/fuzz). MERGE=1 adds inputs that cover more to tests/fuzz/corpus.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bin='' work=$root/build/fuzz jobs=$(nproc)
while [[ ${1:-} == --* ]]; do
    case $1 in
    --bin) bin=$(realpath "$2") ;;
    --work) work=$(realpath -m "$2") ;;
    --jobs) jobs=$2 ;;
    *) echo "fuzz.sh: $1: no such option" >&2 && exit 2 ;;
    esac
    shift 2
done
seconds=${1:?how many seconds a target}
shift
[ $# -gt 0 ] || set -- files0 fits frame job las npy options record size zst
cd "$root"
if [ -z "$bin" ]; then
    CC=${CC:-clang} CXX=${CXX:-clang++} cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DGSORT_CUDA=OFF -DGSORT_FUZZ=ON -DGSORT_SANITIZE=address,undefined >/dev/null
    cmake --build build/fuzz --target "${@/#/fuzz_}" >/dev/null
    bin=build/fuzz/tests
fi
mkdir -p "$work/found"
status=0
for name in "$@"; do
    corpora=("$work/corpus/$name" "tests/fuzz/corpus/$name")
    mkdir -p "${corpora[0]}"
    rm -f "$work/$name".*.log
    pids=()
    for ((job = 1; job <= jobs; job++)); do
        "$bin/fuzz_$name" -seed=$((RANDOM + 1)) -max_total_time="$seconds" -max_len=20000 -timeout=20 \
            -malloc_limit_mb=4096 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$work/found/$name-" \
            "${corpora[@]}" >"$work/$name.$job.log" 2>&1 &
        pids+=($!)
    done
    for job in "${!pids[@]}"; do
        wait "${pids[job]}" && continue
        status=1
        echo "FAILED $name"
        grep -E 'SUMMARY|not true' "$work/$name.$((job + 1)).log" || tail -3 "$work/$name.$((job + 1)).log"
    done
    awk -v name="$name" '/stat::number_of_executed_units/ { n += $2 }
        END { printf "%-12s %12d executions\n", name, n; exit n == 0 }' "$work/$name".*.log || status=1
    [ "${MERGE:-}" != 1 ] || "$bin/fuzz_$name" -merge=1 -max_len=1000 "tests/fuzz/corpus/$name" "${corpora[0]}" \
        >/dev/null 2>&1
done
exit $status
