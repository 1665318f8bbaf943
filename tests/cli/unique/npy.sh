# The header of a .npy file says how many elements there are: it is written last. Where that cannot be, it is refused
# and nothing is read or written.
python3 - <<'P'
import os, random, struct, sys
sys.path.insert(0, os.environ['CASES'] + '/../formats')
import npy
random.seed(4)
def put(name, descr, rows, pack, key=None):
    npy.write(name + '.npy', descr, rows, pack)
    first = {}
    for row in rows:
        first.setdefault(row if key is None else row[key], row)
    npy.write(name + '.want', descr, [first[value] for value in sorted(first)], pack)
values = [float(random.randrange(3000)) for i in range(100000)]
put('numbers', "'<f8'", values, struct.Struct('<d').pack)
rows = [(random.randrange(500), i) for i in range(50000)]
put('rows', "[('key', '>u2'), ('at', '<u4')]", rows, lambda row: struct.pack('>H', row[0]) + struct.pack('<I', row[1]), 0)
put('none', "'<u4'", [], struct.Struct('<I').pack)
def put_counted(name, descr, rows, pack, key=None):
    counts = {}
    for row in rows:
        first = counts.setdefault(row if key is None else row[key], [row, 0])
        first[1] += 1
    npy.write(name, descr, [counts[value] for value in sorted(counts)], lambda pair: pack(pair[0]) + struct.pack('<Q', pair[1]))
put_counted('numbers.counted', "[('value', '<f8'), ('count', '<u8')]", values, struct.Struct('<d').pack)
put_counted('rows.counted', "[('key', '>u2'), ('at', '<u4'), ('count', '<u8')]", rows, lambda row: struct.pack('>H', row[0]) + struct.pack('<I', row[1]), 0)
npy.write('taken.npy', "[('count', '<u8')]", range(100), struct.Struct('<Q').pack)
npy.write('inner.npy', "[('count', [('a', '<u8')])]", range(100), struct.Struct('<Q').pack)
npy.write('comma.npy', "[('a', '<u8'), ]", range(3), struct.Struct('<Q').pack)
P
for way in "" "--spill always -S 16M" "--io threads"; do
    gsort -u numbers.npy -o got.npy $way
    cmp got.npy numbers.want || echo "numbers $way"
    gsort -u rows.npy -k key -o got.npy $way
    cmp got.npy rows.want || echo "rows $way"
    cp rows.npy there.npy
    gsort -u there.npy -k key -o there.npy $way
    cmp there.npy rows.want || echo "in place $way"
    gsort -u --count numbers.npy -o got.npy $way
    cmp got.npy numbers.counted || echo "numbers, counted $way"
    gsort -u --count rows.npy -k key -o got.npy $way
    cmp got.npy rows.counted || echo "rows, counted $way"
    (printf before; gsort -u numbers.npy $way) >got
    cmp got <(printf before; cat numbers.want) || echo "a file of somebody else $way"
done
gsort -u none.npy -o got.npy
cmp got.npy none.want
# Counts are a field, whatever the elements are; the first one of them if they have none that ends.
gsort -u --count comma.npy -o got.npy
gsort --head 2 --json got.npy
gsort -u --count none.npy -o got.npy
gsort --head 2 --json got.npy
printf '\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >plain.u64
gsort -u --count plain.u64 -o got.npy
gsort --head 2 --json got.npy
gsort -q -u --count plain.u64 -t u128 -o got.npy
gsort --head 2 --json got.npy
gsort -R 2 -u --count plain.u64 -o got.npy
gsort --head 2 --json got.npy
if python=$(numpy_python); then
    for file in numbers.npy rows.npy comma.npy none.npy plain.u64; do
        gsort -u --count $file -o "counted.$file.npy"
    done
    "$python" "$CASES/../formats/npy.py" check counted.*.npy
else
    skip_part "read by NumPy" "no NumPy"
fi
set +e
gsort -u numbers.npy | wc -c
gsort -u numbers.npy -o got.npy.zst || echo "exit $?, $(find . -name got.npy.zst | wc -l) files"
gsort -u numbers.npy --zstd >got.zst || echo "exit $?, $(stat -c %s got.zst) bytes"
gsort -u --count numbers.npy | wc -c
gsort -u --count taken.npy -o got2.npy || echo "exit $?, $(find . -name got2.npy | wc -l) files"
gsort -u --count inner.npy -o got2.npy || echo "exit $?, $(find . -name got2.npy | wc -l) files"
