# A full disk in the middle of the output or of runs, or a reader that leaves, gives one line. The old output is
# unchanged, no files are left, and nothing hangs.
need_mounts
for i in 1 2 3; do gsort-gen --dist uniform --type u64 --size 4M --seed $i | gsort -t u64 >s$i.u64; done
mkdir small
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=6M none small
printf old >small/out
free=$(stat -f -c %f small)
for io in uring threads; do
    for places in "-o small/out" "-o out -T small --batch-size 2" "-o small/out -T . --batch-size 2"; do
        code=0
        timeout 60 gsort -t u64 -m <(cat s1.u64) <(cat s2.u64) <(cat s3.u64) $places --compress none --io $io || code=$?
        [ $code -eq 3 ] || echo "$io, $places: exit $code"
        [ "$(cat small/out)" = old ] && [ ! -e out ] || echo "$io, $places: the output changed"
        [ "$(stat -f -c %f small)" -eq "$free" ] || echo "$io, $places: space is lost"
    done
done
IN
for way in "" "--io threads" "-S 20M --batch-size 2"; do
    timeout 60 gsort -t u64 -m s?.u64 $way | head -c 80000 | cmp - <(gsort -t u64 s?.u64 | head -c 80000)
done
