# Each: one line, exit 2, and the old output is there.
python3 - <<'P'
import os, sys
sys.path.insert(0, os.environ['CASES'])
import npy
def put(name, descr, count, data):
    open(name + '.npy', 'wb').write(npy.header(descr, count) + data)
put('good', "'<f8'", 2, bytes(16))
put('more', "'<f8'", 2, bytes(24))
put('less', "'<f8'", 3, bytes(16))
put('objects', "'|O'", 2, bytes(16))
put('complex', "'<c16'", 2, bytes(32))
put('text', "'<U2'", 2, bytes(16))
put('time', "[('at', '<M8[ns]'), ('xy', '<f4', (2,))]", 2, bytes(32))
put('none', "[('a', '<i4'), ('b', '<f4', (0,)), ('c', '|S0')]", 3, bytes(12))
put('huge', "'<f8'", 1 << 62, bytes(16))
open('plain.npy', 'wb').write(bytes(16))
open('square.npy', 'wb').write(npy.header("'<f8'", 2).replace(b'(2,), }   ', b'(2,1,1), }') + bytes(16))
open('cut.npy', 'wb').write(npy.header("'<f8'", 2)[:100])
open('plain.f64', 'wb').write(bytes(16))
P
refused() {
    printf old >out
    code=0
    gsort "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
    [ "$(cat out)" = old ] || echo "$*: the old output is gone"
}
for name in more less objects complex text huge plain square cut; do
    refused $name.npy
done
cat less.npy | refused -
cat more.npy | refused good.npy -
cat cut.npy | refused
refused time.npy
refused time.npy -k xy:desc
refused time.npy -k nothing
refused good.npy -k nothing
refused good.npy -t u64
refused good.npy -R 4
refused good.npy --header 8
refused good.npy plain.f64
refused plain.f64 good.npy
cat plain.f64 | refused good.npy -
cat good.npy | refused plain.f64 -
refused plain.f64 -k price
refused none.npy -k a --out b
refused none.npy -k a --out a,c
gsort none.npy -k a --out "$(for i in $(seq 1 40); do printf "%0$((170 + i))d:4\n" 0; done | paste -sd,)" -o long.npy
tr ',' '\n' <long.npy | grep -ac "'|V4')" >&2
code=0
gsort plain.f64 --header 8 -o out.npy || code=$?
exit $code
