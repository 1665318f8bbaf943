# A table of one column is numbers, whose header stays; rows of other lengths are refused. Other rows: tests/model.
cat >table.py <<'P'
import struct
def put(name, shape, numbers):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    text += ' ' * (63 - (10 + len(text)) % 64) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text.encode() + struct.pack('<%dd' % len(numbers), *numbers))
put('one.npy', (4, 1), [3, -1, 2, 0])
put('two.npy', (2, 2), [3, -1, 2, 0])
P
python3 table.py
gsort one.npy -o out.npy
head -c 128 out.npy | grep -ao "'shape': [^)]*)"
gsort --head 4 out.npy | tr '\n' ' ' && echo
gsort one.npy two.npy -o no.npy || echo "exit $?"
