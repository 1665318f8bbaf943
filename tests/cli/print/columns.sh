# Records are printed as columns: the keys, then the aggregated fields, each with a name of its own.
python3 - <<'P'
import struct
rows = [(3, 2**64 - 1, 0.5), (1, 2, 1.5), (3, 7, 2.5), (2, 5, 9.0), (3, 1, -1.0)] # the keys 1 and 2 occur once
open('r', 'wb').write(b''.join(struct.pack('<QQd', *row) for row in rows))
open('wide', 'wb').write(b''.join(struct.pack('<BQQ', key, 2**64 - 1, 2**64 - 1) for key in (1, 1, 2)))
def npy(path, descr, data, count):
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}"
    head += ' ' * ((64 - (len(head) + 11) % 64) % 64) + '\n'
    open(path, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)
data = struct.pack('<4I', 1, 2, 3, 4) + struct.pack('<4I', 0, 6, 7, 8)
npy('order.npy', "[('x', '<u4'), ('x:desc', '<u4'), ('count', '<u4'), ('count#2', '<u4')]", data, 2)
npy('nested.npy', "[('a', [('b', '<u4'), ('c', '<u4')]), ('a.b', '<u4'), ('a.b#2', '<u4')]", data, 2)
P
show() {
    echo "-- $*"
    gsort -q "$@" --print=header || echo "exit $?"
    gsort -q "$@" --print=json | python3 -c '
import json, sys
for line in sys.stdin:
    pairs = json.loads(line, object_pairs_hook=list)
    if len(pairs) != len(dict(pairs)):
        print("a reader loses a column:", line, end="")'
}
show -R 24 -k 0:u64 -u --sum 8:u64:wide --max 16:f64 r
show -R 24 -k 0:u64 -u --sum 8:u64:wide --sum 16:f64:wide --count r
show -R 24 -k 0:u64 -u --min 8:u64 --count r
show -R 24 -k 0:u64 -k 8:i64:desc --group=1 --keep=last -u --sum 8:i64 --sum 16:f64 r
show -R 17 -k 0:uint8 -u --sum 1:u128:wide wide
show -R 24 -k 0:u64:DESC -k 8:u64:descending -k 16:f64:asc r
show order.npy -k x:desc -k x:descending -u --count
show order.npy -k x:asc -k count -k 'count#2' -u --count
show nested.npy
gsort -q order.npy -k x:desc --head 2 --print=header
gsort -q --head 2 --sum 8:u64 -R 24 -k 0:u64 r || echo "exit $?"
# A field that chooses among equal keys is not a column.
for option in --keep=last --keep=first --ties=bytes; do
    gsort -q -R 24 -k 0:u64 -u $option r --print || echo "exit $?"
done
