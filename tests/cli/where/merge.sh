# A merge filters what it reads: files of which nothing is kept, of which all is, of which little is between much; pipes, packed
# files; what is left out may be in any order.
gsort-gen -d uniform -t u64 -n 300000 -o a.u64
gsort a.u64 -o a.u64
gsort-gen -d uniform -t u64 -n 200000 --seed 5 -o b.u64
gsort b.u64 -o b.u64
for condition in '<1000' '>=0' '<0' '>=18000000000000000000' '<100000000000000000'; do
    gsort --where "$condition" a.u64 b.u64 -o wanted.u64
    for memory in 10M 12M 300M; do
        gsort -m -S $memory --where "$condition" a.u64 b.u64 -o merged.u64
        cmp wanted.u64 merged.u64
    done
    gsort -m -t u64 --where "$condition" <(cat a.u64) b.u64 | cmp - wanted.u64
    zstd -q -f b.u64
    gsort -m -t u64 --where "$condition" a.u64 b.u64.zst -o merged.u64
    cmp wanted.u64 merged.u64
    gsort -m -u --count -t u64 --where "$condition" a.u64 b.u64 a.u64 -o counts
    gsort -u --count -t u64 --where "$condition" a.u64 a.u64 b.u64 | cmp - counts
done
for i in $(seq 40); do
    gsort-gen -d uniform -t u64 -n 20000 --seed "$i" | gsort -t u64 -o "m$i.u64"
done
gsort --where '<50000000000000000' m*.u64 -o wanted.u64
gsort -m -S 10M --where '<50000000000000000' m*.u64 -o merged.u64
cmp wanted.u64 merged.u64
cat b.u64 a.u64 >ab.u64
gsort -m --where '==0' ab.u64 -o none.u64
gsort -m ab.u64 -o none.u64 2>/dev/null || echo exit $?
gsort -m --where '<9000000000000000000' ab.u64 -o none.u64 || echo exit $?
# What is left out at the ends of a file says nothing of what keys share.
python3 - <<'P'
record = lambda key, is_kept: key.ljust(16, b'x') + bytes([is_kept]) + b'.' * 7
kept = [b'A90000', b'A90001', b'A90002']
open('q1', 'wb').write(record(b'B00000', 0) + b''.join(record(key, 1) for key in kept) + record(b'B99998', 1) + record(b'B99999', 0))
open('q2', 'wb').write(b''.join(record(b'B%05d' % i, 1) for i in range(3000)))
P
for way in "" "--top 2" -u "-u --top 2"; do
    # shellcheck disable=SC2086
    gsort -R 24 -k 0:b16 --where '16:uint8==1' -m $way q1 q2 | cmp - <(gsort -R 24 -k 0:b16 --where '16:uint8==1' $way q1 q2)
done
