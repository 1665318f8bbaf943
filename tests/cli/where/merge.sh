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
