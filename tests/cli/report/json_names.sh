# Names from outside are valid UTF-8 in JSON, whatever bytes they are: a .npy header of version 1 is Latin-1, one of
# version 3 UTF-8; and --key takes such a name as a terminal types it.
make() { # VERSION ENCODING NAME FILE
    python3 - "$@" <<'P'
import struct, sys
version, encoding, name, path = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
text = ("{'descr': [('%s', '<f8'), ('n', '<i8')], 'fortran_order': False, 'shape': (3,), }" % name).encode(encoding)
head = 10 if version == 1 else 12
text += b' ' * (-(head + len(text) + 1) % 64) + b'\n'
length = struct.pack('<H' if version == 1 else '<I', len(text))
rows = b''.join(struct.pack('<dq', value, i) for i, value in enumerate((2.5, -1.0, 0.5)))
open(path, 'wb').write(b'\x93NUMPY' + bytes((version, 0)) + length + text + rows)
P
}
check() { # NAME: what stats.json says of keys and fields
    python3 - "$1" <<'P'
import json, sys
report = json.loads(open('stats.json', 'rb').read().decode('utf-8', 'strict'))
keys = [key.partition(':')[0] for key in report['keys']]
print(keys == [sys.argv[1]] or keys, report['fields'][0]['field'].startswith(sys.argv[1]), report['fields'][0]['min'])
P
}
name=$(printf 'prix\303\251')
make 1 latin-1 "$name" one.npy
make 3 utf-8 "$name" three.npy
for file in one three; do
    gsort --key "$name" $file.npy -o sorted.npy --stats=json >stats.json
    check "$name"
    gsort --key "$name:desc" $file.npy -o sorted.npy --stats=json >stats.json
    gsort --stats-only --stats=json sorted.npy >stats.json
    python3 -c "import json; print(len(json.loads(open('stats.json', 'rb').read().decode())['keys']))"
done

# Bytes that are none: in a name of a directory, in a plan.
odd=$(printf 'd\351\377\355\240\200')
mkdir "$odd"
gsort-gen -d uniform -n 100 -o x.u64
gsort --explain --stats=json x.u64 -o "$odd/out" >stats.json
python3 -c "import json; print(ascii(json.loads(open('stats.json', 'rb').read().decode())['spaces'][0]['directory']))"
