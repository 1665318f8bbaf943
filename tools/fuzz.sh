#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: runs libFuzzer on each fuzz target (default all) for so many seconds, beginning
# with its corpus in tests/fuzz/corpus. Needs clang 14 or later. Builds in build/fuzz; what is found lies in
# build/fuzz/found, new corpora in build/fuzz/corpus: MERGE=1 brings what covers more into tests/fuzz/corpus.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds a target}
shift
CC=${CC:-clang} CXX=${CXX:-clang++} cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DGSORT_CUDA=OFF -DGSORT_FUZZ=ON -DGSORT_SANITIZE=address,undefined >/dev/null
[ $# -gt 0 ] || set -- files0 frame job npy options record size zst
cmake --build build/fuzz --target $(printf 'fuzz_%s ' "$@")
mkdir -p build/fuzz/found
status=0
for name in "$@"; do # (a zstd frame that says that it looks back 2 GiB makes libzstd ask for as much, and touch little)
    mkdir -p "build/fuzz/corpus/$name"
    echo "$name:"
    "build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -max_len=20000 -timeout=20 -malloc_limit_mb=4096 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" \
        >"build/fuzz/$name.log" 2>&1 || status=1
    grep -E 'stat::number_of_executed_units|SUMMARY|not true' "build/fuzz/$name.log" || tail -3 "build/fuzz/$name.log"
    [ "${MERGE:-}" != 1 ] || "build/fuzz/bin/fuzz_$name" -merge=1 -max_len=1000 "tests/fuzz/corpus/$name" \
        "build/fuzz/corpus/$name" >/dev/null 2>&1
done
exit $status
