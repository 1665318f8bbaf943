# Times whose unit is known are printed as NumPy prints them, from .npy files and by -t; of others the numbers are.
python3 - <<'P'
import random, struct
numbers = random.Random(7)
def npy(path, descr, count, data):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}"
    text += ' ' * (117 - len(text)) + '\n'
    open(path, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode() + data)
for unit in 'D', 'h', 'm', 's', 'ms', 'us', 'ns':
    times = [-2 ** 63, -2 ** 63 + 1, 2 ** 63 - 1, 0, -1, 1, 951782400, 951868799999]
    times += [numbers.getrandbits(64) - 2 ** 63 >> numbers.randrange(64) for _ in range(2000)]
    npy(unit + '.npy', f"'<M8[{unit}]'", len(times), struct.pack(f'<{len(times)}q', *times))
npy('n.npy', "'<M8[25s]'", 1, struct.pack('<q', 1234))
npy('d.npy', "'<m8[s]'", 1, struct.pack('<q', 1234))
npy('rows.npy', "[('when', '<M8[ms]'), ('day', '>M8[D]'), ('price', '<f4')]", 4,
    b''.join(struct.pack('<q', when) + struct.pack('>q', day) + struct.pack('<f', price) for when, day, price in
             ((1704448800123, 19727, 1.5), (-1, -719529, 2.5), (-2 ** 63, -2 ** 63, 3.5), (951782400000, 11016, 4.5))))
P
for unit in D h m s ms us ns; do
    gsort --head=1M $unit.npy >$unit.text
    gsort --raw --header=128 -t "time64[$unit]" --head=1M $unit.npy | cmp - $unit.text
    gsort --head=1M --print=json $unit.npy | tr -d '"' | cmp - $unit.text
    python3 -c '
import struct, sys
numbers = struct.iter_unpack("<q", open(sys.argv[1], "rb").read()[128:])
open("big", "wb").write(b"".join(struct.pack(">q", *number) for number in numbers))' $unit.npy
    gsort -t "time64[$unit]be" --head=1M big | cmp - $unit.text
done
gsort --head=9 n.npy
gsort --head=9 d.npy
gsort -q -t time64 --head=2 s.npy
gsort rows.npy -o sorted.npy
# Printed reports have times, and add up.
for part in 1 2; do
    gsort -m sorted.npy -k when --stats-of=when --stats-of=day --part $part/2 --into whole.npy --stats=json >part.$part
done
gsort --stats-only --stats=json --stats-of=when --stats-of=day sorted.npy >whole
gsort --join-reports part.1 part.2 whole | grep -E '"(field|min|max)"'
numpy=$(numpy_python) || skip_part "as NumPy prints" "no NumPy"
"${numpy:-python3}" - <<'P'
try:
    import numpy
except ImportError:
    raise SystemExit
for unit in 'D', 'h', 'm', 's', 'ms', 'us', 'ns':
    lines = open(unit + '.text').read().split()
    for time, line in zip(numpy.load(unit + '.npy'), lines):
        is_sane = unit != 'D' or abs(int(time.view('i8'))) < 2 ** 62  # it overflows there
        if is_sane and str(time) != line:
            print(unit, time, line)
P
