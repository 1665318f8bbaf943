# Names that are not ASCII: --out writes them as NumPy does, in Latin-1 where that has the letters (version 1), else in
# UTF-8 (version 3); and messages are UTF-8, whatever names and headers hold.
cat >names.py <<'P'
import struct, sys
def header(version, encoding, names, count=2):
    text = "{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }" % (', '.join("('%s', '<i4')" % name for name in names), count)
    text = text.encode(encoding)
    head = 10 if version == 1 else 12
    text += b' ' * (-(head + len(text) + 1) % 64) + b'\n'
    return b'\x93NUMPY' + bytes((version, 0)) + struct.pack('<H' if version == 1 else '<I', len(text)) + text
def read(path):
    data = open(path, 'rb').read()
    off = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:off], 'little')
    return data[6], data[off:off + length].decode('latin-1' if data[6] < 3 else 'utf-8'), data[off + length:]
P
python3 - <<'P'
from names import *
rows = struct.pack('<6i', 2, 20, 200, 1, 10, 100)
open('latin.npy', 'wb').write(header(1, 'latin-1', ['prix', 'unit\xe9', '\xff']) + rows)
open('greek.npy', 'wb').write(header(3, 'utf-8', ['prix', 'unit\xe9', '\u03c0\u20ac\U0001f600']) + rows)
open('broken.npy', 'wb').write(header(3, 'latin-1', ['prix', 'unit\xe9', 'x']) + rows)
P
unit=$(printf 'unit\303\251') last=$(printf '\303\277') pi=$(printf '\317\200\342\202\254\360\237\230\200')
numpy=$(numpy_python) || skip_part "what NumPy writes" "no NumPy"
check() { # VERSION NAME...: of got.npy
    python3 - "$@" <<'P'
import ast, struct, sys
from names import read
version, text, data = read('got.npy')
member = ast.literal_eval(text)
wanted = [(name, '<i4') for name in sys.argv[2:]]
if version != int(sys.argv[1]) or member['descr'] != wanted:
    print(ascii((version, member, sys.argv)))
P
    [ -z "$numpy" ] || PYTHONUTF8=1 "$numpy" -W ignore - "$@" <<'P'
import io, sys
import numpy
array = numpy.load('got.npy')
out = io.BytesIO()
numpy.save(out, array)
if out.getvalue() != open('got.npy', 'rb').read() or array.dtype.names != tuple(sys.argv[2:]):
    print('not as NumPy:', ascii(array.dtype))
P
}
export PYTHONUTF8=1
gsort latin.npy -k "$unit" --out "$last,$unit" -o got.npy && check 1 "$last" "$unit"
gsort latin.npy -k prix --out prix -o got.npy && check 1 prix
gsort greek.npy -k prix --out "$unit,prix" -o got.npy && check 1 "$unit" prix
gsort greek.npy -k prix --out "$pi,$unit" -o got.npy && check 3 "$pi" "$unit"
gsort greek.npy -o got.npy && check 3 prix "$unit" "$pi"
gsort latin.npy -o got.npy && check 1 prix "$unit" "$last"
gsort broken.npy -o got.npy || echo "exit $?"
cp latin.npy "$(printf 'd\351.npy')"
for command in "latin.npy -k none" "greek.npy -k none" "latin.npy greek.npy" "$(printf 'd\351.npy') -k none" "$(printf 'none\351')"; do
    # shellcheck disable=SC2086
    gsort $command -o got.npy 2>err || echo "exit $?"
    python3 -c "print(ascii(open('err', 'rb').read().decode('utf-8', 'strict').strip()))"
done
