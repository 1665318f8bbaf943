# Full disks and readers that leave: as without -u; nothing is left, the old output is there.
need_mounts
gsort-gen --dist uniform --type u32 --count 3000000 -o x.u32
set +e
for count in "" --count; do
    gsort -u $count x.u32 | head -c 8 >/dev/null
    echo "${PIPESTATUS[0]}"
    gsort -u $count x.u32 --zstd --io threads | head -c 8 >/dev/null
    echo "${PIPESTATUS[0]}"
    cat x.u32 | gsort -t u32 -u $count --spill always >/dev/full
    echo $?
done
mkdir small
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=8M none small
printf old >small/out
free=$(stat -f -c %f small)
for io in uring threads; do
    code=0
    cat x.u32 | timeout 60 gsort -t u32 -u --count -o small/out -S 64M --window 64K --io $io || code=$?
    [ $code -eq 3 ] || echo "$io: exit $code"
    [ "$(cat small/out)" = old ] || echo "$io: the output changed"
    [ "$(stat -f -c %f small)" -eq "$free" ] || echo "$io: space is lost"
done
# The most space that may be necessary is checked before the work: 12 bytes for 4.
gsort -u --count x.u32 -o small/out 2>&1 || echo "exit $?"
gsort -u --count x.u32 -o small/out --explain | grep -A1 -E 'temporary space|^space'
IN
