# Elements of padding alone have no order, and other fields need names. Padding beside keys: tests/model.
python3 - <<'P'
import os, sys
sys.path.insert(0, os.environ['CASES'])
import npy
npy.write('only.npy', "[('', '|V2')]", [b'ab', b'aa'], bytes)
npy.write('nameless.npy', "[('', '<i2')]", [b'ab', b'aa'], bytes)
npy.write('nameless_inner.npy', "[('', [('a', '<i2')])]", [b'ab', b'aa'], bytes)
P
for name in only nameless nameless_inner; do
    gsort $name.npy -o out.npy || echo "exit $?"
done
gsort only.npy -k 1:b1 | tail -c 4 | od -An -c
