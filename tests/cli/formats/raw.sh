# --raw: bytes that look like zstd are numbers, and so is what is named .zst.
printf '\x28\xb5\x2f\xfd\0\0\0\0\1\0\0\0\0\0\0\0' >looks
printf '\1\0\0\0\0\0\0\0\x28\xb5\x2f\xfd\0\0\0\0' >want
gsort -t u64 --raw looks -o got
cmp got want
gsort -t u64 --raw <looks | cmp - want
gsort -t u64 --raw looks -o got.zst
cmp got.zst want
gsort -t u64 --raw got.zst looks --stats-only | grep elements
code=0
gsort -t u64 looks -o got 2>err || code=$?
cat err
exit $code
