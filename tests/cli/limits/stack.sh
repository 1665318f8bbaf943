# A small stack (`ulimit -s`) is enough: threads have stacks of their own size, and so has the program where it would need more.
need zstd
gsort-gen --dist uniform --type u64 --size 8M -o x
gsort -t u64 x -o want
gsort -R 16 -k 3:b4 x -o want.rec
(
    ulimit -s 64
    gsort -t u64 x | cmp - want
    for io in uring threads; do
        cat x | gsort -t u64 -S 12M --io $io -o got.zst || grep -q "refuses io_uring" <<<"$(gsort -t u64 x --io $io 2>&1 >/dev/null)"
    done
    zstd -q -d <got.zst | cmp - want
    gsort -R 16 -k 3:b4 x --parallel 3 -S 12M | cmp - want.rec
    gsort -m -t u64 want want --stats-only >report
    gsort -t u64 -u --top 3 x --print >three
    gsort --explain -t u64 x -o out >plan
    gsort-gen -d uniform -t u64 --size 8M --parallel 3 | cmp - x
)
