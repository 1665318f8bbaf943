# Nearly sorted data are written in one pass, and nothing is spilled; data that end the pass need no more disk than
# any other sort: the file system has room for the input and a tenth. Numbers, records, .npy, packed, from a pipe,
# left out, one of equal ones.
need_mounts
size=$(sized 48M 24M)
gsort-gen --dist sorted --type u64 --size "$size" -o sorted.u64
bytes=$(stat -c %s sorted.u64)
python3 - "$bytes" <<'P'
import struct, sys
n = int(sys.argv[1])
data = open('sorted.u64', 'rb').read()
open('late.u64', 'wb').write(data[:n // 2] + bytes(8) + data[n // 2 + 8:])
open('last.u64', 'wb').write(data[:-8] + bytes(8))
head = b"{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % (n // 8)
open('late.npy', 'wb').write(b'\x93NUMPY\x01\x00v\x00' + head.ljust(117) + b'\n' + open('late.u64', 'rb').read())
P
gsort late.u64 -S 1G -o late.want
gsort last.u64 -S 1G -o last.want
gsort -R 48 -k 0:u64 late.u64 -S 1G -o records.want
gsort late.npy -S 1G -o want.npy
gsort late.npy -u -S 1G -o unique.npy
gsort -u sorted.u64 -S 1G -o unique.want
gsort late.u64 --where '>0' -S 1G -o where.want
gsort sorted.u64 -o sorted.u64.zst
mkdir small
export bytes
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=$((bytes * 11 / 10)) none small
try() { # what is wanted, how it goes, arguments
    local want=$1 how=$2
    shift 2
    gsort "$@" -S 16M --parallel 1 --window 32K --compress none -T small --stats=json >report
    python3 - "$how" "$*" <<'P'
import json, sys
r = json.load(open('report'))
how = 'one' if r['is_one_pass'] else 'ended' if int(r['in_order_bytes']) else 'none'
spills = int(r['spilled_runs']) > 0
if how != sys.argv[1] or spills and how == 'one':
    print(sys.argv[2], 'went:', how, r['spilled_runs'], r['in_order_bytes'], r['plan']['late_bytes'])
P
    cmp small/out* "$want"
    [ "$(ls small | wc -l)" = 1 ] || ls -l small
    rm small/out*
}
for io in threads auto; do
    try sorted.u64 one sorted.u64 -o small/out --io $io
    try late.want ended late.u64 -o small/out --io $io
    try last.want ended last.u64 -o small/out --io $io
done
try want.npy ended late.npy -o small/out.npy
try unique.want one sorted.u64 -u -o small/out
try unique.npy ended late.npy -u -o small/out.npy
try where.want one late.u64 --where '>0' -o small/out
try sorted.u64 one sorted.u64.zst -t u64 --verify=read -o small/out
cat sorted.u64 | try sorted.u64 one -t u64 -o small/out
cat late.u64 | try late.want ended -t u64 -o small/out
umount small
try records.want one -R 48 -k 0:u64 records.want -o small/out
try records.want ended -R 48 -k 0:u64 late.u64 -o small/out
IN
for way in "--unique --count" "--top 2000000" "--spill always" "--zstd" "--split 2" "--argsort" "--resume kept" "--histogram 4"; do
    gsort --explain sorted.u64 -o out%d -S 20M --parallel 1 $way | grep "^in order" || echo "$way: nothing"
done
gsort --explain sorted.u64 -S 20M --parallel 1 | grep "^in order" || echo "$way: nothing"
