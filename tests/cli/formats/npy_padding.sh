# Padding is never a key, at any depth: neither for the order nor for -u; and what is nothing else has no order.
python3 - <<'P'
import os, random, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
random.seed(6)
inner = "[('a', '|u1'), ('', '|V3'), ('deep', [('', '|V2'), ('b', '<u2'), ('', '|V4')])]"
rows = [(random.randrange(4), random.randbytes(3), random.randbytes(2), random.randrange(300), random.randbytes(4),
         random.randrange(3), random.randbytes(1)) for _ in range(20000)]
pack = struct.Struct('<B3s2sH4sb1s').pack
put = lambda name, rows: npy.write(name, "[('in', %s), ('c', '|i1'), ('', '|V1')]" % inner, rows, lambda row: pack(*row))
key = lambda row: (row[0], row[3], row[5])
put('in.npy', rows)
put('sorted', sorted(rows, key=key))
first = {}
for row in sorted(rows, key=key):
    first.setdefault(key(row), row)
put('unique', first.values())
npy.write('only.npy', "[('', '|V2')]", [b'ab', b'aa'], bytes)
npy.write('nameless.npy', "[('', '<i2')]", [b'ab', b'aa'], bytes)
npy.write('nameless_inner.npy', "[('', [('a', '<i2')])]", [b'ab', b'aa'], bytes)
P
gsort in.npy | cmp - sorted
gsort -u in.npy -o got
cmp got unique
gsort --check sorted
gsort --stats-only --stats=json sorted | sed -n '/"keys"/,/]/p'
for name in only nameless nameless_inner; do
    gsort $name.npy -o out.npy || echo "exit $?"
done
gsort only.npy -k 1:b1 | tail -c 4 | od -An -c
