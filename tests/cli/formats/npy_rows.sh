# Rows of tables are records: by all columns, by some, unique and counted, projected; a table of one column is numbers.
cat >table.py <<'P'
import random, struct, sys
def header(descr, shape):
    text = "{'descr': %s, 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    text += ' ' * (63 - (10 + len(text)) % 64) + '\n'
    return b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text.encode()
def read(path):
    data = open(path, 'rb').read()
    begin = 10 + struct.unpack('<H', data[8:10])[0]
    return eval(data[10:begin]), data[begin:]
P
python3 - <<'P'
from table import *
random.seed(5)
rows = [tuple(random.randrange(-3, 4) for _ in range(3)) for _ in range(5000)]
pack = lambda rows: b''.join(struct.pack('>3h', *row) for row in rows)
open('x.npy', 'wb').write(header("'>i2'", (5000, 3)) + pack(rows))
open('all', 'wb').write(pack(sorted(rows)))
open('keys', 'wb').write(pack(sorted(rows, key=lambda row: (-row[2], row[0]))))
open('one.npy', 'wb').write(header("'<f8'", (4, 1)) + struct.pack('<4d', 3, -1, 2, 0))
P
look() { python3 -c 'from table import *; h, d = read("out.npy"); print(h["descr"], h["shape"], len(d)); open("data", "wb").write(d)'; }
gsort x.npy -o out.npy
look
cmp data all
gsort -k 2:desc -k 0 x.npy -o out.npy --spill always -S 20M
look
cmp data keys
gsort x.npy -u -o out.npy && look
gsort x.npy -u --count -o out.npy && look
gsort x.npy --out 2,0 -o out.npy && look
gsort x.npy --where '1>2' --stats-only | grep -E '^(elements|type)'
gsort out.npy x.npy -o no.npy || echo "exit $?"
gsort one.npy -o out.npy && look && gsort --head 4 out.npy | tr '\n' ' ' && echo
cat x.npy | gsort | cmp - <(gsort x.npy -o y.npy && cat y.npy)
gsort -m y.npy y.npy -o out.npy && look
gsort --check y.npy
