# Reads, finds, merges, writes and numbers elements beyond 4 GiB, in files with holes, with every engine.
need zstd
gsort-gen -d sorted -t u64 -n 20000 -o tail.u64
truncate -s $((1 << 32)) far.u64
cat tail.u64 >>far.u64
first=$((1 << 29))
for io in uring threads; do
    gsort far.u64 -r --range $first:20000 --io $io -o got
    cmp got <(gsort -r tail.u64)
    gsort far.u64 -R 40 -k 8:u64:desc -k 0:u64 --range $((first / 5 + 1)): --drop-tail --io $io -q -o got
    cmp got <(tail -c +$((40 - (1 << 32) % 40 + 1)) tail.u64 | gsort -R 40 -k 8:u64:desc -k 0:u64 --drop-tail -q)
    gsort -m far.u64 --range $((first + 5)): --io $io -o got
    cmp got <(tail -c +41 tail.u64)
    # the last part of a file and itself, written after 8 GiB of hole; also of records that straddle pages
    for elements in "-t u64" "-R 40 -k 0:u64 --drop-tail -q"; do
        gsort -m far.u64 far.u64 $elements --part 1/50000 --into whole --io $io
        [ $(($(stat -c %s whole) >> 33)) = 1 ]
        gsort -m far.u64 far.u64 $elements --part 50000/50000 --into whole --verify=read --io $io
        cmp <(tail -c 100000 whole) <(gsort -m far.u64 far.u64 $elements --part 50000/50000 | tail -c 100000)
        rm whole
    done
    cmp <(gsort -m far.u64 far.u64 --part 50000/50000 --io $io | tail -c 100000) <(gsort -m tail.u64 tail.u64 | tail -c 100000)
    # descriptors that are there already
    python3 -c "import os; [os.lseek(fd, 1 << 32, 0) for fd in (0, 1)]; os.execvp('gsort', ['gsort', *'-t u64 -r --io $io'.split()])" \
        <far.u64 1<>placed
    cmp <(tail -c +$(((1 << 32) + 1)) placed) <(gsort -r tail.u64)
    rm placed
    # values beside what is sorted
    gsort far.u64 -r --range $first: --values far.u64:8=values -o got --io $io
    cmp <(gsort -r tail.u64) values
done
# compressed data after a skippable frame of 4 GiB
{ printf '\120\52\115\30\377\377\377\377'; } >far.zst
truncate -s $(((1 << 32) + 7)) far.zst
zstd -qc tail.u64 >>far.zst
gsort far.zst -t u64 -r -o got
cmp got <(gsort -r tail.u64)
gsort -t u64 --find "$(gsort --tail 1 tail.u64).." far.u64
cmp <(gsort --tail 5 far.u64) <(gsort --tail 5 tail.u64)
# Positions: of the last 4 of so many bytes, the last that 4 bytes number, and one more.
gsort far.u64 -R 1 -k 0:b1 --range $(((1 << 32) - 2)):2 --argsort=u32 -o got
gsort -t u32 --head 2 got
gsort far.u64 -R 1 -k 0:b1 --range $(((1 << 32) - 2)):3 --argsort=u32 -o no || echo "exit $?"
gsort far.u64 -R 1 -k 0:b1 --range $(((1 << 32) - 1)):2 --argsort -o got
gsort -t u64 --head 2 got
[ ! -e no ]
