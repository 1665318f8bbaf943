# --print=csv: columns below a line of their names, as RFC 4180 says; Python's reader gets back what was sorted.
python3 - <<'P'
import struct
texts = [b'plain', b'a,b', b'say "hi"', b'', b'\x00\xff', b'line\nend', b' edge ']
open('r', 'wb').write(b''.join(struct.pack('<Qd8s', i % 3, i / 4, text) for i, text in enumerate(texts)))
open('x.f64', 'wb').write(struct.pack('<3d', 1.5, float('nan'), -0.25))
P
fields=--fields=id=0:u64,price=8:f64,name=16:b8
gsort -R 24 $fields -k price r --print=csv
gsort -R 24 $fields -k id -u --sum price:wide --count r --print=csv
gsort -R 24 $fields -k id -u --sum price r | gsort -R 24 $fields -k price:desc --top 1 --print=csv
gsort -R 24 $fields --head 1 --tail 1 r --print=csv
gsort -R 24 -k 16:b8 -u r --print=csv
gsort -R 24 --head 1 r --print=csv
gsort x.f64 --print=csv
gsort x.f64 -u --count --print=csv
gsort x.f64 --argsort --print=csv
gsort -t u64 /dev/null --print=csv
gsort -R 24 $fields r --print=csv | python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
print(sorted(row[2] for row in rows[1:]))'
gsort --head 1 --print=csv --json x.f64 || echo "exit $?"
