# Fields of a .npy file by their names; the header of the output says how many were kept, also of a merge.
make() { # FILE SEED
    python3 - "$@" <<'P'
import random, struct, sys
numbers = random.Random(sys.argv[2])
rows = sorted((round(numbers.uniform(-9, 9), 2), numbers.randrange(100)) for _ in range(2000))
text = "{'descr': [('price', '<f8'), ('id', '>i2')], 'fortran_order': False, 'shape': (2000,), }"
text += ' ' * (-(10 + len(text) + 1) % 64) + '\n'
head = b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text.encode()
open(sys.argv[1], 'wb').write(head + b''.join(struct.pack('<d', p) + struct.pack('>h', i) for p, i in rows))
P
}
show() { # FILE: the shape, and whether all that is there is meant
    python3 - "$1" <<'P'
import struct, sys
data = open(sys.argv[1], 'rb').read()
length = 10 + struct.unpack('<H', data[8:10])[0]
rows = [struct.unpack('<d', data[at:at + 8]) + struct.unpack('>h', data[at + 8:at + 10]) for at in range(length, len(data), 10)]
said = int(data[10:length].split(b"'shape': (")[1].split(b',')[0])
print(said == len(rows), len(rows) > 50, all(p >= 1.5 and i < 50 for p, i in rows), rows == sorted(rows))
P
}
make a.npy 1
make b.npy 2
gsort -k price -k id --where 'price>=1.5' --where 'id<50' a.npy b.npy -o sorted.npy
show sorted.npy
gsort -m -k price -k id --where 'price>=1.5' --where 'id<50' a.npy b.npy -o merged.npy
show merged.npy
gsort -m -k price -k id --where 'price>=1.5' --where '8:i16be<50' a.npy b.npy -o other.npy
cmp merged.npy other.npy
gsort -m -k price --where 'price>=1.5' a.npy b.npy --zstd -o packed.npy.zst || echo exit $?
gsort -k price --where 'nothing>1' a.npy -o out.npy || echo exit $?
