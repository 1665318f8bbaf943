# A pipe hides until late that the disk is too small: one line, exit 3. The old output is unchanged, no files are
# left, and nothing hangs.
need_mounts
gsort-gen --dist uniform --type u64 --size 16M -o x
mkdir small
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=8M none small
printf old >small/out
free=$(stat -f -c %f small)
for io in uring threads; do
    for places in "-o small/out -T ." "-o out -T small" "-o small/out"; do
        for way in "--spill always" ""; do
            code=0
            cat x | timeout 60 gsort -t u64 $places -S 16M --window 64K --compress none --io $io $way || code=$?
            [ $code -eq 3 ] || echo "$io, $places: exit $code"
            [ "$(cat small/out)" = old ] && [ ! -e out ] || echo "$io, $places: the output changed"
            [ "$(stat -f -c %f small)" -eq "$free" ] || echo "$io, $places: space is lost"
        done
    done
done
IN
