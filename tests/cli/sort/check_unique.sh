# -c -u finds the first element that is not above the one before it, in whichever file, on both sides of windows and
# of files, against a plain loop; as sort -cu does.
python3 - "$(sized 50 16)" <<'P'
import random, struct, subprocess, sys
random.seed(6)
def first(values, is_unique):
    for i in range(1, len(values)):
        if values[i] < values[i - 1] or (is_unique and values[i] == values[i - 1]):
            return i
def check(type, code, values, *options):
    """Cut into files; compare what gsort says with what it should."""
    cuts = sorted(random.randrange(len(values) + 1) for i in range(random.randrange(3)))
    if values and random.random() < 0.3:
        cuts = sorted(cuts + [at])
    bounds = list(zip([0] + cuts, cuts + [len(values)]))
    names = []
    for i, (begin, end) in enumerate(bounds):
        names.append('f%d.%s' % (i, type))
        open(names[-1], 'wb').write(struct.pack('<%d%s' % (end - begin, code), *values[begin:end]))
    for unique in [], ['-u']:
        run = subprocess.run(['gsort', '-c', *unique, *options, *names], capture_output=True, text=True)
        quiet = subprocess.run(['gsort', '-C', *unique, *options, *names], capture_output=True, text=True)
        idx, want = first(values, unique), ''
        if idx is not None:
            file = next(i for i, (begin, end) in enumerate(bounds) if begin <= idx < end)
            how = 'is out of order: %s after %s' % (values[idx], values[idx - 1])
            if values[idx] == values[idx - 1]:
                how = 'is a duplicate: %s again' % values[idx]
            want = 'gsort: %s: element %d %s\n' % (names[file], idx - bounds[file][0], how)
        assert run.stdout + run.stderr == want and run.returncode == bool(want), (bounds, unique, options, run, want)
        assert quiet.stdout + quiet.stderr == '' and quiet.returncode == bool(want), (bounds, unique, options, quiet)
for n in 0, 1, 2:
    at = 0
    check('u32', 'I', [7] * n)
for round in range(int(sys.argv[1])):
    type, code, bytes = random.choice([('u32', 'I', 4), ('i32', 'i', 4), ('u64', 'Q', 8), ('i64', 'q', 8)])
    low = -40000 if type[0] == 'i' else 0
    values = sorted(random.sample(range(low, low + 90000), 20000))
    at = random.choice([1, 19999, 4096 // bytes * random.randrange(1, 10), random.randrange(1, 20000)])
    values[at] = values[at - 1] - (round % 3 == 0 and values[at - 1] > low)
    if round % 4 == 0:
        other = random.randrange(1, 20000)
        values[other] = values[other - 1]
    check(type, code, values, *random.choice([[], ['--window', '4K'], ['--window', '4K', '--io', 'threads', '--parallel', '3']]))
P
# With -r, floats (-0 and 0 are two), and records, whose keys are compared and not all of them.
python3 - <<'P'
import struct
open('down.f64', 'wb').write(struct.pack('<5d', 2, 1, 0.0, -0.0, -1))
open('twice.f64', 'wb').write(struct.pack('<5d', 2, 1, 0.0, 0.0, -1))
open('records', 'wb').write(b'aa1 ab2 ac3 ac4 ad5 ')
P
set +e
gsort -c -u -r down.f64 && echo in order
gsort -c -r twice.f64 && echo in order
gsort -c -u -r twice.f64
gsort -c -u -R 4 records && echo in order
gsort -c -R 4 -k 0:b2 records && echo in order
gsort -c -u -R 4 -k 0:b2 records
gsort -c -u -R 4 -k 0:b1 -k 1:uint8 records
gsort -C -u -R 4 -k 0:b2 records || echo "exit $?"
