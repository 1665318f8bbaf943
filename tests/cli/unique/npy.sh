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
put('numbers', "'<f8'", [float(random.randrange(3000)) for i in range(100000)], struct.Struct('<d').pack)
rows = [(random.randrange(500), i) for i in range(50000)]
put('rows', "[('key', '>u2'), ('at', '<u4')]", rows, lambda row: struct.pack('>H', row[0]) + struct.pack('<I', row[1]), 0)
put('none', "'<u4'", [], struct.Struct('<I').pack)
P
for way in "" "--spill always -S 16M" "--io threads"; do
    gsort -u numbers.npy -o got.npy $way
    cmp got.npy numbers.want || echo "numbers $way"
    gsort -u rows.npy -k key -o got.npy $way
    cmp got.npy rows.want || echo "rows $way"
    cp rows.npy there.npy
    gsort -u there.npy -k key -o there.npy $way
    cmp there.npy rows.want || echo "in place $way"
    (printf before; gsort -u numbers.npy $way) >got
    cmp got <(printf before; cat numbers.want) || echo "a file of somebody else $way"
done
gsort -u none.npy -o got.npy
cmp got.npy none.want
set +e
gsort -u numbers.npy | wc -c
gsort -u numbers.npy -o got.npy.zst || echo "exit $?, $(find . -name got.npy.zst | wc -l) files"
gsort -u numbers.npy --zstd >got.zst || echo "exit $?, $(stat -c %s got.zst) bytes"
gsort -u --count rows.npy -k key -o got2.npy || echo "exit $?, $(find . -name got2.npy | wc -l) files"
gsort -u --count numbers.npy --explain || echo "exit $?"
