# Thousands of files where 64 may be open: at once, and some of them first. Numbers, and records in order of the files.
python3 - "$(sized 5000 1000)" <<'P'
import os, random, struct, sys
files = int(sys.argv[1])
random.seed(1)
os.mkdir('n'), os.mkdir('r')
numbers, records = [], []
with open('numbers', 'wb') as names, open('records', 'wb') as record_names:
    for i in range(files):
        values = sorted(random.getrandbits(32) for _ in range(3))
        rows = sorted((struct.pack('>BBI', i % 7, random.getrandbits(1), i) for _ in range(2)), key=lambda r: r[:2])
        open('n/%d' % i, 'wb').write(struct.pack('<3I', *values))
        open('r/%d' % i, 'wb').write(b''.join(rows))
        names.write(b'n/%d\0' % i)
        record_names.write(b'r/%d\0' % i)
        numbers += values
        records += rows
open('want', 'wb').write(struct.pack('<%dI' % (3 * files), *sorted(numbers)))
open('want_records', 'wb').write(b''.join(sorted(records, key=lambda r: r[:2])))
P
ulimit -n 64
for way in "-S 3G" "-S 64M --batch-size 100 --io threads"; do
    timeout 240 gsort -m -t u32 --files0-from=numbers -o got $way
    cmp got want || echo "$way"
done
timeout 240 gsort -m -R 6 -k 0:b2 --files0-from=records -o got -S 100M
cmp got want_records
