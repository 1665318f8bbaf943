# If points of LAS are dropped, the header has the new number, bounds and returns, and the data after the points move.
# Beside laspy: tests/python/test_formats.py.
no() { gsort "$@" && echo "accepted: $*" || true; }
cat >las.py <<'END'
import struct, sys
def make(name, scale=0.5):
    head = bytearray(375)
    head[0:4], head[24:26], head[104] = b'LASF', bytes([1, 4]), 6
    struct.pack_into('<HII', head, 94, 375, 375, 0)
    struct.pack_into('<H', head, 105, 30)
    struct.pack_into('<6d', head, 131, scale, scale, scale, 100.0, 0.0, 0.0)
    struct.pack_into('<QIQ', head, 235, 375 + 30 * 9, 1, 9)
    points = b''.join(struct.pack('<iiiHBBBBhHd', 10 - i, i, i % 3, 7, 1 + i % 4, 0, 2, 0, 0, 0, i / 2) for i in range(9))
    open(name, 'wb').write(bytes(head) + points + b'what is behind')
def tell(name):
    data = open(name, 'rb').read()
    count, = struct.unpack_from('<Q', data, 247)
    at, = struct.unpack_from('<Q', data, 235)
    print(count, struct.unpack_from('<6d', data, 179), struct.unpack_from('<5Q', data, 255), data[at:].decode())
    print(*[struct.unpack_from('<i', data, 375 + 30 * i)[0] for i in range(count)])
make(sys.argv[2], *map(float, sys.argv[3:])) if sys.argv[1] == 'make' else tell(sys.argv[2])
END
python3 las.py make in.las
gsort in.las -k X -o out.las
python3 las.py tell out.las
gsort in.las -k gps_time:desc --where 'X>7' --verify=read -o out.las
python3 las.py tell out.las
gsort in.las -k Z -u -o out.las
python3 las.py tell out.las
gsort in.las -k X -o in.las
gsort --check in.las -k X
gsort in.las -k X --drop-header -o points
wc -c <points
no in.las -k return_number -o no.las
no in.las -k X --argsort -o no.las
no in.las -k X --split=2 -o no%d.las
no in.las -k X | cat
gsort <in.las -k X -o piped.las
cmp piped.las in.las
cat in.las | no -k X -o no.las
python3 las.py make other.las 0.25
truncate -s -14 other.las
no in.las other.las -k X -o no.las
python3 -c 'd = bytearray(open("in.las", "rb").read()); d[104] |= 128; open("laz.las", "wb").write(d)'
no laz.las -o no.las
ls
