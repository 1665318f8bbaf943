# --print=json: finite floats and integers up to 2^53 are numbers; all else is strings, with all digits.
python3 - <<'P'
import struct
edge = 2 ** 53
integers = [-2 ** 63, -edge - 1, -edge, -1, 0, edge, edge + 1, 2 ** 63 - 1]
open('x.i64', 'wb').write(struct.pack('<8q', *integers))
open('x.u128', 'wb').write(b''.join(n.to_bytes(16, 'little') for n in (edge, edge + 1, 2 ** 64, 2 ** 128 - 1)))
open('x.f64', 'wb').write(struct.pack('<9d', float('-inf'), -1e300, -0.0, 5e-324, 0.1, 2.0 ** 53 + 2, 2.0 ** 60, float('inf'), float('nan')))
open('x.time', 'wb').write(struct.pack('<3q', -2 ** 63, 0, 5))
open('r', 'wb').write(b''.join(struct.pack('<Qe6sQ', key, value, text, edge) for key, value, text in ((1, 0.5, b'12'), (1, 3, b''), (2, 1e-3, b'\xff'))))
P
for file in x.i64 x.u128 x.f64 "x.time -t time64" "x.time -t time64[s]"; do
    gsort -q $file --print=json
done
gsort -q --head 2 --tail 1 --json x.i64
gsort -q -u --count x.i64 --print=json | head -3
gsort -q --argsort x.f64 --print=json | tail -1
gsort -q -R 24 --fields=k=0:u64,v=8:f16,s=10:b6,n=16:u64 -k k -k v -k s r --print=json
gsort -q -R 24 --fields=k=0:u64,v=8:f16,n=16:u64 -k k -u --sum v:wide --sum n:wide --count r --print=json
gsort -q -R 24 r --print=json | tail -1
# Readers get the values of all lines, and can add them.
gsort -q -R 24 --fields=k=0:u64,v=8:f16 -k k -k v r --print=json | python3 -c '
import json, sys
print(*(line["k"] + line["v"] for line in map(json.loads, sys.stdin)))'
