# .npy files in and out, one of them the output; packed outputs, and what goes with neither.
cp "$CASES/../formats/npy.py" .
python3 - <<'P'
import random, struct, npy
random.seed(2)
rows = []
for i in range(3):
    values = sorted(random.gauss(0, 1) for _ in range(20000))
    rows += values
    npy.write('%d.npy' % i, "'<f8'", values, struct.Struct('<d').pack)
    open('%d.f64' % i, 'wb').write(struct.pack('<20000d', *values))
npy.write('want.npy', "'<f8'", sorted(rows), struct.Struct('<d').pack)
open('want.f64', 'wb').write(struct.pack('<60000d', *sorted(rows)))
P
gsort -m 0.npy 1.npy 2.npy -o got.npy
cmp got.npy want.npy
gsort -m 0.npy <(cat 1.npy) 2.npy >got.npy
cmp got.npy want.npy
gsort -m 0.f64 1.f64 2.f64 -o got.npy
cmp got.npy want.npy
gsort -m ?.f64 -o got.f64.zst
gsort --stats-only got.f64.zst | head -1
gsort got.f64.zst | cmp - want.f64
gsort -m 0.npy 1.npy 2.npy -o 1.npy
cmp 1.npy want.npy
gsort -m -t f64 0.f64 <(cat 1.f64) -o out.npy || echo "exit $?"
gsort -m --raw -t u64 --check 0.f64 || echo "exit $?"
