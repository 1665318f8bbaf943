# Against sort -u and uniq -c on numbers as hexadecimal lines, whose order is that of u64; od writes them.
python3 - "$(sized 300000 60000)" <<'P'
import random, struct, sys
most = int(sys.argv[1])
random.seed(1)
def put(name, values):
    open(name, 'wb').write(struct.pack('<%dQ' % len(values), *values))
put('few', [random.randrange(2000) << 40 for i in range(most)])
put('distinct', random.sample(range(1 << 60), most // 3 * 2))
put('equal', [7] * (most // 6 * 5 + 1))
put('one', [7])
put('none', [])
put('skewed', [int(random.paretovariate(1.2)) for i in range(most)])
P
lines() { od -An -v -tx8 -w"$1" | sed 's/^ //'; }
for x in few distinct equal one none skewed; do
    lines 8 <$x | sort -u >want
    lines 8 <$x | sort | uniq -c | python3 -c 'import sys
for line in sys.stdin:
    count, key = line.split()
    print(key, "%016x" % int(count))' >want_counts
    for way in "" "--spill always -S 16M" "--parallel 1 --io threads --window 4K" "-S 64M --chunk 64K --window 8K --spill always"; do
        gsort -u -t u64 $x $way | lines 8 | cmp - want || echo "$x $way"
        gsort -u -t u64 $x $way -r | lines 8 | cmp - <(tac want) || echo "-r, $x $way"
        gsort --unique --count -t u64 $x $way -o got
        lines 16 <got | cmp - want_counts || echo "--count, $x $way"
        cat $x $x | gsort --unique --count -t u64 -r $way | lines 8 | sed -n 'p;n' | cmp - <(tac want) || echo "pipe, $x $way"
    done
done
