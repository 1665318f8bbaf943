# --find: places in a sorted file, by looks at a few of its elements; with -o what is there, of all files.
printf '1 2 2 2 5 9' | python3 -c 'import sys, struct; sys.stdout.buffer.write(b"".join(struct.pack("<q", int(x)) for x in sys.stdin.read().split()))' > x.i64
for value in 2 3 -7 10 2..5 3..4 ..2 5.. -9..99; do
    echo "$value" "$(gsort --find "$value" x.i64)"
done
gsort --range "$(gsort --find 2 x.i64)" x.i64 -o two
gsort -t i64 --head 9 two
gsort --find 2..5 x.i64 x.i64 -o both
gsort -t i64 --head 9 both
gsort --find 2..5 x.i64 --stats-only --stats | head -2
gsort --find 2.. --range 3: x.i64
gsort --find 2..5 x.i64 --explain | grep found
gsort --find 2..5 x.i64 -o out --stats=json | python3 -c 'import json, sys; print(json.load(sys.stdin)["find"])'
gsort -r x.i64 -o falling.i64
gsort -r --find 2 falling.i64
gsort x.i64 -o x.npy
gsort --find 5 x.npy

# The first key of records; what is no file, value or sorted merge.
printf 'a1b1b2c1' > x.rec
gsort -R 2 -k 0:b1 --find b x.rec
gsort -R 2 -k 0:b1 -k 1:b1 --find 0x61..0x62 x.rec
gsort -R 2 --find b2 x.rec
for arguments in '--find x x.i64' '--find .. x.i64' '--find nan x.i64' '--find 2 x.i64 x.i64' '--find 2 --top 3 x.i64' '--find 2 -u x.i64' \
    '--find 2 --head 3 x.i64' '-R 2 -k 0:b1 --find xyz x.rec' '--find 1 --find 2 x.i64'; do
    code=0
    gsort $arguments || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
cat x.i64 | gsort -t i64 --find 2 || echo "exit $?"
