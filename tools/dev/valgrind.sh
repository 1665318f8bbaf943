#!/usr/bin/env bash
# valgrind.sh: a few small runs of gsort under valgrind, which sees what the sanitizers do not: values that were never
# set, in libraries too. It does not know all of io_uring, and no AVX-512: --io threads, and whatever VQSort falls
# back to. Silent when nothing is found; exit 77: skipped.
#   tools/dev/valgrind.sh BIN_DIR
set -euo pipefail
bin=$(cd "$1" && pwd)
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
check() {
    local code=0
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$bin/gsort" "$@" --io threads \
        --device cpu --parallel 2 >stdout 2>stderr || code=$?
    [ $code -eq 0 ] || { echo "gsort $*: exit $code"; cat stderr; exit 1; }
}
"$bin/gsort-gen" --dist specials --type f64 --count 30000 -o x.f64
"$bin/gsort-gen" --dist zipf --type u64 --count 30000 -o x.u64
check x.f64 -o got --stats=json
check x.f64 -r -o got -S 16M --spill always --chunk 64K --window 16K --batch-size 2 --compress zstd
check x.u64 -u --count -o got -S 16M
check x.u64 --top 100 -o got -S 16M
check x.u64 -o sorted.u64.zst -S 32M
check sorted.u64.zst -c -t u64 -S 32M
check -R 24 -k 3:u32be -k 10:b9:desc x.u64 -o got -S 16M --spill always --chunk 64K --window 16K
"$bin/gsort" x.u64 -o sorted.u64
check -m sorted.u64 sorted.u64 -o got.npy -S 16M
check --stats-only x.f64
