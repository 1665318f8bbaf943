# Of records with equal keys the first of the input is kept, whatever else is in them, and also with -r.
python3 - <<'P'
import random, struct
random.seed(3)
def put(suffix, n, keys, bytes):
    rows = [(b'%06d' % random.randrange(keys) + struct.pack('>I', i)).ljust(bytes, b'.') for i in range(n)]
    groups = {}
    for row in rows:
        groups.setdefault(row[:6], []).append(row)
    open('in' + suffix, 'wb').write(b''.join(rows))
    for name, order in ('up', sorted(groups)), ('down', sorted(groups, reverse=True)):
        open(name + suffix, 'wb').write(b''.join(groups[key][0] for key in order))
        open(name + suffix + '.counts', 'wb').write(
            b''.join(groups[key][0] + struct.pack('<Q', len(groups[key])) for key in order))
put('13', 100000, 5000, 13)
put('100', 30000, 900000, 100)
put('5000', 1000, 40, 5000)
P
for bytes in 13 100 5000; do
    for way in "" "--spill always -S 20M" "--io threads --parallel 1 --window 32K"; do
        sort="gsort -u -R $bytes -k 0:b6 in$bytes $way"
        $sort -o got
        cmp got up$bytes || echo "$bytes $way"
        $sort -r | cmp - down$bytes || echo "-r, $bytes $way"
        $sort --count | cmp - up$bytes.counts || echo "--count, $bytes $way"
        $sort -r --count -o got
        cmp got down$bytes.counts || echo "-r --count, $bytes $way"
    done
done
# Without a key the whole record is one: nothing is equal here.
gsort -u -R 13 in13 -o got --stats 2>&1 | grep -E 'elements|unique'
