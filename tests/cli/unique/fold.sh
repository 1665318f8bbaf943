# Fields that are folded: what is counted is of the input, and where they cannot be, one line. (The model has the rest.)
python3 - <<'P'
import random, struct
random.seed(8)
rows = [(random.randrange(5000), random.randrange(-9, 10), random.randrange(1 << 16) / 8) for i in range(60000)]
groups = {}
for key, quantity, price in rows:
    group = groups.setdefault(key, [0, price, 0])
    group[0] += quantity
    group[1] = max(group[1], price)
    group[2] += 1
open('in', 'wb').write(b''.join(struct.pack('<Iid', *row) for row in rows))
print(sum(row[1] for row in rows), len(groups))
P
fold="-R 16 -k 0:u32 -u --sum 4:i32 --max 8:f64"
gsort -R 16 -k 0:u32 -u --sum 4:i32:wide --max 8:f64 --top 50 in -o got --stats=json >told
grep '"field": "4:i32"' told || cat told
gsort $fold in -o got --stats 2>&1 | grep -E 'unique|sum|max'
# Few keys are folded as they are read.
gsort $fold in -o got --stats=json | grep -q '"folded_count": [1-9]' || echo "nothing is folded early"
gsort $fold --count in -o got --stats=json | grep -q '"folded_count": 0' || echo "folded, though all are counted"
# The last one stays, also where sums on the way do not fit.
printf '\1\144\0\0\1\144\1\0\1\234\2\0' >edge
gsort -R 4 -k 0:uint8 -u --keep last --sum 1:int8 edge | cmp - <(printf '\1\144\2\0')
# A wide sum does not change the field, which may have an extreme.
printf '\1\144\0\0\1\144\1\0\1\234\2\0' >edge
gsort -R 4 -k 0:uint8 -u --sum 1:int8:wide --max 1:int8 edge | cmp - <(printf '\1\144\0\0\144\0\0\0\0\0\0\0')
gsort -R 4 -k 0:uint8 -u --sum 1:int8:wide --min 1:int8 edge --print
gsort -R 4 -k 0:uint8 -u --sum 1:int8 --sum-wide --min 1:int8 edge | cmp - <(printf '\1\234\0\0\144\0\0\0\0\0\0\0')
# And with NaNs only, its own.
printf '\1\1\0\200\177\1\2\0\300\377' >edge
gsort -R 5 -k 0:uint8 -u --keep last --max 1:f32 edge | cmp - <(printf '\1\2\0\300\377')
# A .npy file, by its fields.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'] + '/../formats')
import npy
pack = lambda row: struct.pack('>H', row[0]) + struct.pack('<ib', *row[1:])
descr = "[('id', '>u2'), ('quantity', '<i4'), ('rank', '|i1')]"
npy.write('rows.npy', descr, [(i % 3, i, i % 7) for i in range(30)], pack)
npy.write('want.npy', descr, [(k, sum(range(k, 30, 3)), min(i % 7 for i in range(k, 30, 3))) for k in range(3)], pack)
P
gsort rows.npy -k id -u --sum quantity --min rank -o got.npy
cmp got.npy want.npy
# Sums that do not fit.
printf '\1\377\1\2' >small
set +e
# The message names the key of the group, wherever in the output it is.
python3 -c 'import sys; sys.stdout.buffer.write(b"".join(i.to_bytes(4, "little") + (b"\x90" if i == 70000 else b"\1") for i in range(90000) for _ in (0, 1)))' >far
for way in "" "--parallel 1" "--spill always -S 16M --parallel 2"; do gsort -R 5 -k 0:u32 -u --sum 4:uint8 --count $way far -o no; done
rm -f far
# Sums that are too large on the way, over many buffers, of records that threads hold: in the end they fit.
python3 - <<'P'
import struct
first = [struct.pack('<Ih', i % 100, 32767) for i in range(60000)]
second = [struct.pack('<Ih', i % 100, -32766) for i in range(60000)]
open('in_turn', 'wb').write(b''.join(first + second))
open('want_in_turn', 'wb').write(b''.join(struct.pack('<Ih', key, 600) for key in range(100)))
P
gsort -R 6 -k 0:u32 -u --sum 4:i16 --chunk 16K in_turn -o got
cmp got want_in_turn
rm -f in_turn want_in_turn
refuse() { gsort "$@" -o no; echo "$?"; }
refuse -R 2 -k 0:uint8 -u --sum 1:uint8 small small
refuse -R 2 -k 0:uint8 -u --sum 1:uint8 --spill always small small
refuse -R 2 -k 0:uint8 -u --sum 1:uint8 --sum-wide small small && gsort --head 9 -R 10 -k 0:uint8 -k 1:uint8 -k 2:u64 no && rm no
refuse -R 16 -k 0:u32 --sum 4:i32 in
refuse -R 16 -k 0:u32 --max 4:i32 in
refuse -R 16 -u --sum 4:i32 in
refuse -R 16 -k 0:u32 -u --sum 2:i32 in
refuse -R 16 -k 0:u32 -u --sum 4:i32 --min 4:i32 in
refuse -R 16 -k 0:u32 -u --sum 4:i32:wide --min 4:i32 --max 4:i32 in
refuse -R 16 -k 0:u32 -u --sum 4:i32:wide --sum 4:i64:wide in
refuse -R 16 -k 0:u32 -u --sum 4:b4 in
refuse -R 16 -k 0:u32 -u --sum 4:time64 in
refuse -R 16 -k 0:u32 -u --sum 14:i32 in
refuse -R 16 -k 0:u32 -u --sum-wide in
refuse -R 16 -k 0:u32 -u --sum 4:i32 --max 8:f64:wide in
refuse -R 16 -k 0:u32 -u --sum 4:i32:wide:wide in
refuse -t u64 -u --sum 0:u64 in
refuse -R 16 -k 0:u32 -u --sum 4:i32 --sum-wide --verify read in
refuse -R 16 -k 0:u32 -u --sum 4:i32:wide --max 8:f64 --verify read in
refuse -R 16 -k 0:u32 -u --sum 4:i32 --resume kept in
gsort rows.npy -k id -u --sum quantity --sum-wide -o no.npy
gsort rows.npy -k id -u --sum quantity:wide -o no.npy
gsort rows.npy -k id -u --sum price -o no.npy
gsort --stats-only -R 16 -k 0:u32 --sum 4:i32 in
gsort --check -u -R 16 -k 0:u32 --min 4:i32 in
gsort --check -R 16 -k 0:u32 --sum-wide in
