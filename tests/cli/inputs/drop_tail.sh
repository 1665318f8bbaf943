# Bytes after the last whole element are an error that says how many, and what they may be. --drop-tail leaves them
# out with a note: in files, streams and compressed data, of numbers and records, in every verb.
gsort-gen --dist uniform --type u64 --count 100003 -o whole.u64
gsort whole.u64 -o want.u64
{ cat whole.u64 && printf 'abc'; } >x.u64
head -c 5 whole.u64 >short.u64
zstd -q x.u64
for input in x.u64 x.u64.zst short.u64; do
    gsort $input -o never || echo "exit $?"
done
gsort <x.u64 -t u64 -o never || echo "exit $?"
gsort -R 24 x.u64 -o never || echo "exit $?"
[ ! -e never ]

echo "-- left out" >&2
for way in "" "-S 12M --spill always" "--io threads" "--parallel 1"; do
    gsort --drop-tail $way x.u64 -o out.u64
    cmp out.u64 want.u64
done 2>&1 | sort | uniq -c | sed 's/^ *//'
gsort --drop-tail x.u64.zst -o out.u64
cmp out.u64 want.u64
gsort --drop-tail -t u64 <x.u64 | cmp - want.u64
gsort --drop-tail -t u64 -S 12M --spill always <x.u64 | cmp - want.u64
gsort --drop-tail x.u64 x.u64 short.u64 -o out.u64
cmp out.u64 <(gsort whole.u64 whole.u64)
gsort --drop-tail -q short.u64 x.u64 -o out.u64
cmp out.u64 want.u64
gsort --drop-tail -R 24 x.u64 -o out
[ "$(stat -c %s out)" = $((100003 / 3 * 24)) ]
{ cat want.u64 && printf 'abcd'; } >tail.u64
gsort --drop-tail --check tail.u64
gsort --drop-tail --check=quiet tail.u64
gsort --drop-tail -C tail.u64
gsort --drop-tail -m tail.u64 tail.u64 -o out.u64
cmp out.u64 <(gsort -m want.u64 want.u64)
cat tail.u64 | gsort --drop-tail -m -t u64 - want.u64 -o out.u64
cmp out.u64 <(gsort -m want.u64 want.u64)
gsort --drop-tail --stats-only short.u64 | head -1
gsort --drop-tail -q --resume kept x.u64 -o out.u64
cmp out.u64 want.u64
gsort --drop-tail -q x.u64 -o x.u64
cmp x.u64 want.u64
