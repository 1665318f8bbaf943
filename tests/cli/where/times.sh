# Times are given as they are printed: --where, --find, --split-at; what is none of the unit is refused in a line.
python3 - <<'P'
import struct
def npy(path, descr, count, data):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}"
    text += ' ' * (117 - len(text)) + '\n'
    open(path, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode() + data)
times = [i * 21600000 + 1704067200000 for i in range(40)] + [-2 ** 63]  # every six hours from 2024-01-01 on
npy('t.npy', "'<M8[ms]'", 41, struct.pack('<41q', *times))
npy('r.npy', "[('n', '<u2'), ('when', '<M8[ms]')]", 41, b''.join(struct.pack('<Hq', i, t) for i, t in enumerate(times)))
open('t.time64', 'wb').write(struct.pack('<41q', *times))
open('days', 'wb').write(struct.pack('>3q', -719529, 19727, 11016))
P
gsort t.npy --where '>=2024-01-10T12:00' --print
gsort r.npy -k when --where 'when<2024-01-01T06:00:00.001Z' --print
gsort r.npy -k when --where 'when==2024-01-05 06:00' --where 'n>3' --print
gsort r.npy -k n --where 'when==nat' --print
gsort -t 'time64[ms]' t.time64 --where '>2024-01-10T12' --where '!=1704931200000' --print
gsort -t 'time64[D]be' days --where '<2000-03-01' --print
gsort -t 'time64[D]be' days --where '==-001-12-31' --print
gsort --find 2024-01-05T06:00:00 t.npy
gsort --find 2024-01-05T06:00:00.001..2024-01-05T18 t.npy --print
gsort --find 2024-01-10T18.. -k when r.npy --print
gsort --find ..2023-12-31T23:59:59.999 t.npy
gsort --find NaT t.npy
gsort --split-at=2024-01-02,2024-01-03T06:00 t.npy -o part%d.npy
for i in 1 2 3; do gsort --head=1 --tail=1 part$i.npy; done
# Refused: too fine, no date, another zone, a year alone, beyond the unit, dates of what has no unit.
for where in '>=2024-01-05T10:00:00.1234' '>=2024-13-01' '>=2024-01-05T10+02:00' '>=2024' '<300000000-01-01' '<NaT'; do
    gsort t.npy --where "$where" --print || echo "exit $?"
done
gsort t.npy --where '>=+2024' --print | wc -l
gsort -t 'time64[D]be' days --where '>2024-01-05T00' --print || echo "exit $?"
gsort -t time64 t.time64 --where '>=2024-01-05' --print || echo "exit $?"
gsort --find 2024-01 t.npy || echo "exit $?"
gsort --split-at=2024-02-30 t.npy -o part%d.npy || echo "exit $?"
# Units that there are not; one that the header contradicts; one that a name need not say.
for type in 'time64[ps]' 'time64[M]' 'TIME64[ms]' 'i64[ms]' 'time64[ms' '<m8[ms]'; do
    gsort -t "$type" t.time64 --print || echo "exit $?"
done
gsort -R 8 -k '0:time64[Y]' t.time64 --print || echo "exit $?"
gsort -t 'time64[us]' t.npy --print || echo "exit $?"
gsort -t 'time64[ms]' t.npy --top=1 --print
gsort -t '<M8[ms]' t.time64 --top=1 --print
gsort t.npy --drop-header -o out.time64
cmp out.time64 t.time64
gsort t.npy --drop-header -o 'out.time64[us]' || echo "exit $?"
