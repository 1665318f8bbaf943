# Structured arrays: keys by name, in every byte order, nested and in bytes; without a key by all fields, as NumPy sorts.
numpy=$(numpy_python) || skip_part "what NumPy reads" "no NumPy"
python3 - <<'P'
import os, random, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
random.seed(5)
descr = "[('time', '<i8'), ('price', '>f4'), ('', '|V3'), ('who', '|S6'), ('in', [('a', '|u1'), ('b', '>u2')]), ('xy', '<f8', (2,))]"
shape = struct.Struct('<q4s3s6sB2s2d')
def pack(row):
    time, price, who, a, b, x, y = row
    return shape.pack(time, struct.pack('>f', price), b'pad', who, a, struct.pack('>H', b), x, y)
rows = [(random.randrange(-20, 20), float(random.randrange(90)), random.choice([b'', b'Bo', b'Alice', b'Bobby1']), random.randrange(4),
         random.randrange(1000), random.random(), i) for i in range(20000)]
def want(name, key, reverse=False):
    npy.write(name, descr, sorted(rows, key=key, reverse=reverse), pack)
npy.write('in.npy', descr, rows, pack, 2)
npy.write('in1.npy', descr, rows, pack)
want('price', lambda row: row[1])
want('who_price', lambda row: (row[2], -row[1]))
want('nested', lambda row: (row[3], row[4], row[0]))
# Without the last field, for which there is no key, every field decides.
descr = "[('time', '<i8'), ('price', '>f4'), ('who', '|S6')]"
pack = lambda row: struct.pack('<q', row[0]) + struct.pack('>f', row[1]) + struct.pack('6s', row[2])
npy.write('all.npy', descr, rows, pack)
want('all', lambda row: row[:3])
P
for way in "" "--spill always -S 16M" "--io threads --parallel 1"; do
    gsort in1.npy -k price -o got $way
    cmp got price || echo "price $way"
    gsort in1.npy -k who -k price:desc $way | cmp - who_price || echo "who, price $way"
    gsort in1.npy -k 15:b6 -k 8:f32be:desc $way <in1.npy | cmp - who_price || echo "offsets $way"
    cat in1.npy | gsort -k in.a -k in.b -k time $way | cmp - nested || echo "nested $way"
    gsort all.npy $way | cmp - all || echo "all $way"
done
[ -z "$numpy" ] || "$numpy" "$CASES/npy.py" check price
gsort in.npy -k price | tail -c +193 | cmp - <(tail -c +193 price)
gsort in.npy -k price --stats-of time --stats-only | sed -n '/type/p; /field/,$p'
gsort all.npy --stats-only --stats=json | grep -A4 '"keys"'
gsort --check all
code=0
gsort --check in.npy -k time 2>&1 | sed 's/[0-9][0-9]*: .* after.*/N: .../; s/element [0-9]*/element N/' || code=$?
