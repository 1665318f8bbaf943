# The same as sort -m of the same numbers, as lines of hexadecimal digits; in every way of doing it, also reversed,
# and without duplicates.
python3 - <<'P'
import random, struct
random.seed(5)
for i in range(9):
    n = random.choice((0, 1, 700, 5000, 30000))
    values = sorted(random.choice((random.getrandbits(64), random.getrandbits(8) << 40)) for _ in range(n))
    for name, order in (('up', values), ('down', values[::-1])):
        open('%s%d.u64' % (name, i), 'wb').write(struct.pack('<%dQ' % n, *order))
        open('%s%d.hex' % (name, i), 'w').write(''.join('%016x\n' % value for value in order))
P
lines() { python3 -c "
import struct, sys
data = sys.stdin.buffer.read()
sys.stdout.write(''.join('%016x\n' % value for value in struct.unpack('<%dQ' % (len(data) // 8), data)))"; }
sort -m up?.hex >want_up
sort -m -r down?.hex >want_down
uniq want_up >want_unique
gsort -u --count up?.u64 -o want_counts
for way in "" "--io threads" "-S 16M --window 4K --batch-size 2" "-S 16M --batch-size 3 --compress zstd --parallel 3"; do
    gsort -m up?.u64 -o got $way
    lines <got | cmp - want_up || echo "$way"
    gsort -m -u up?.u64 -o got $way
    lines <got | cmp - want_unique || echo "-u $way"
    gsort -m -u --count up?.u64 $way | cmp - want_counts || echo "--count $way"
    gsort -m -u <(cat up1.u64) up0.u64 up[2-7].u64 <(cat up8.u64) $way | lines | cmp - want_unique || echo "-u of streams $way"
    gsort -m -r down?.u64 $way | lines | cmp - want_down || echo "-r $way"
done
gsort -m up?.u64 -o got
cat up?.u64 | gsort -t u64 | cmp - got
