#!/usr/bin/env bash
# gpu_test.sh: everything that needs a GPU: tests on it, and compute-sanitizer over them.
#
#     tools/dev/gpu_test.sh              build the release preset, then test
#     tools/dev/gpu_test.sh --pack DIR   build it, and put programs, libraries and this script into DIR,
#                                    for a GPU machine without compilers or -dev packages
#     DIR/gpu_test.sh --packed       test there
#
# Prints a line for each test, and last `N passed, N failed, N skipped`. Exit status 0: all passed. A GPU must be there.
# compute-sanitizer comes with the toolkit: where this was packed for a machine without, it is skipped, unless CI is set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=(bin/{gsort,gsort-gen,gsort-bench}
    tests/test_{sort,sort_records,top,unique,ladder,ladder_published,planes_kernels,record_kernels,tally_kernels,tied_kernels})

build() {
    cd "$here/../.."
    tools/dev/setup.sh tests
    cmake --preset release >/dev/null
    cmake --build --preset release
    built=$PWD/build/release bin=$PWD/build/release/bin tests=$PWD/build/release/tests
}

case ${1:-} in
--pack)
    dir=$2
    build
    mkdir -p "$dir"
    for program in "${programs[@]}"; do cp "$built/$program" "$dir"; done
    # Of the libraries only those that a bare system lacks.
    ldd "${programs[@]/#/$built/}" | awk '/liburing|libhwy|libxxhash|libzstd|libz\.|libcmocka/ {print $3}' | sort -u |
        xargs -I{} cp -L {} "$dir"
    cp "$here/gpu_test.sh" "$dir"
    exit ;;
--packed)
    bin=$here tests=$here
    export LD_LIBRARY_PATH=$here ;;
*) build ;;
esac

cd "$bin"
work=$(mktemp -d "${TMPDIR:-/dev/shm}/gsort-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() { # check NAME COMMAND...: one line, and the output if it failed; what it says that it skipped
    local name=$1 rc=0 begin=$SECONDS
    shift
    "$@" >"$work/log" 2>&1 || rc=$?
    ! grep -q '^skipped.*: no GPU$' "$work/log" || rc="no GPU"
    if [ "$rc" = 0 ]; then
        echo "ok  $name  $((SECONDS - begin)) s"
        passed=$((passed + 1))
    else
        echo "FAILED ($rc)  $name  $((SECONDS - begin)) s"
        tail -30 "$work/log"
        failed=$((failed + 1))
    fi
    while IFS= read -r line; do skip "$name${line#skipped}"; done < <(grep '^skipped.*: ' "$work/log")
}
skip() { # skip "NAME, PART: REASON"
    echo "skipped  $1"
    skipped=$((skipped + 1))
}

# same OPTIONS...: the GPU writes what the CPU writes, and reports the same aggregates. elements:
# options that say what they are.
same() {
    local a="$work/cpu" b="$work/gpu"
    ./gsort --device cpu --stats=json "$work/in" "${elements[@]}" -o "$a" 2>"$work/cpu.json" "${cpu[@]}" &&
        ./gsort --device cuda --stats=json "$work/in" "${elements[@]}" -o "$b" 2>"$work/gpu.json" "$@" &&
        cmp "$a" "$b" &&
        diff <(sed -n '/"tally"/,/"plan"/p' "$work/cpu.json" | sed '$d') \
            <(sed -n '/"tally"/,/"plan"/p' "$work/gpu.json" | sed '$d')
}

check test_sort "$tests/test_sort"
check test_top "$tests/test_top"
check test_unique "$tests/test_unique"
check test_sort_records "$tests/test_sort_records"
check test_ladder "$tests/test_ladder"
check test_ladder_published "$tests/test_ladder_published"
check test_planes_kernels "$tests/test_planes_kernels"
check test_record_kernels "$tests/test_record_kernels"
check test_tally_kernels "$tests/test_tally_kernels"
check test_tied_kernels "$tests/test_tied_kernels"

for type in u32 i32 f32 u64 i64 f64 u128; do
    for shape in uniform specials equal; do
        ./gsort-gen --type $type --dist $shape --size 48M -o "$work/in"
        elements=(-t $type)
        cpu=()
        check "$type $shape, resident" same
        check "$type $shape, spilled in 12 runs" same --spill always --chunk 4M --window 1M
        check "$type $shape, spilled, coded" same --spill always --chunk 4M --window 1M --compress zstd
        check "$type $shape, hybrid" same --device-memory 48M --memory 64M --chunk 2M --window 512K
        cpu=(-r)
        check "$type $shape, reversed" same -r
    done
done

# Records: short and long ones, with keys that tags hold and longer ones that tie in them.
for record in "-R 100 -k 0:b10" "-R 48 -k 8:u64 -k 0:u64" "-R 24 -k 0:b24 -r" "-R 4000 -k 3999:u8"; do
    read -ra elements <<<"$record"
    ./gsort-gen --type u64 --dist zipf --size 48000000 -o "$work/in"
    cpu=()
    check "records $record, resident" same
    check "records $record, spilled" same --spill always --chunk 4M --window 1M
    check "records $record, hybrid" same --device-memory 56M --memory 64M --chunk 2M --window 512K
done

# Many elements in one piece, beyond 2^32.
check "2^32 + elements in one sort" ./gsort-bench kernels --type u32 --size 17G --repeat 1
check "steps of sorting records" ./gsort-bench record-kernels --size 256M --repeat 1
for type in u32 u64 f32 f64; do
    check "textbook kernels, $type" ./gsort-bench ladder --type $type --size 256M --repeat 1
done

# Every kernel under every tool of compute-sanitizer, on small data.
sanitizer=$(command -v compute-sanitizer || command -v /usr/local/cuda/bin/compute-sanitizer || true)
must_sanitize=$([ "${1:-}" = --packed ] && [ -z "${CI:-}" ] && echo false || echo true)
sanitized() { # sanitized NAME COMMAND...: under $tool
    if [ -z "$sanitizer" ] && ! $must_sanitize; then
        skip "$tool, $1: no compute-sanitizer"
    else
        check "$tool, $1" "${sanitizer:-compute-sanitizer}" --tool "$tool" --error-exitcode 9 "${@:2}"
    fi
}
./gsort-gen --type f64 --dist uniform --size 3M -o "$work/in"
for tool in memcheck racecheck initcheck synccheck; do
    sanitized ladder "$tests/test_ladder"
    # The published forms race: that is what their tests show.
    sanitized "ladder beside the published" --kernel-name-exclude kernel_substring=published \
        "$tests/test_ladder_published"
    sanitized planes "$tests/test_planes_kernels"
    sanitized records "$tests/test_record_kernels"
    sanitized ties "$tests/test_tied_kernels"
    sanitized sort ./gsort -q --device cuda -t f64 "$work/in" -o "$work/out"
    sanitized "sort, spilled, u32" ./gsort -q --device cuda -t u32 "$work/in" \
        --spill always --chunk 256K --window 64K --compress zstd -o "$work/out"
    sanitized "sort, u128" ./gsort -q --device cuda -t u128 "$work/in" -o "$work/out"
    sanitized check ./gsort -q --device cuda -c -t u128 "$work/out"
    sanitized "sort of records" ./gsort -q --device cuda -R 24 -k 0:b20 "$work/in" \
        --spill always --chunk 256K --window 64K -o "$work/out"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
