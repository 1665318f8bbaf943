# The first K of those that differ: as everything, cut off behind them.
python3 - <<'P'
import random
random.seed(4)
open('x.u32', 'wb').write(b''.join(random.randrange(60000).to_bytes(4, 'little') for i in range(400001)))
P
for way in "" "-r" "-S 16M --spill always" "--io threads --parallel 1 --window 4K --chunk 64K"; do
    gsort -u x.u32 -o all $way
    gsort -u --count x.u32 -o all_counts $way
    for k in 0 1 2 1023 1024 4097 30000 59999 60000 1M; do
        gsort -u --top $k x.u32 $way | cmp - <(head -c $((${k/M/000000} * 4)) all) || echo "$k $way"
        gsort -u --count --top $k x.u32 -o got $way
        cmp got <(head -c $((${k/M/000000} * 12)) all_counts) || echo "$k with counts $way"
    done
done
gsort x.u32 -o sorted.u32
gsort -m -u --top 5000 sorted.u32 sorted.u32 | cmp - <(gsort -u x.u32 | head -c 20000)
gsort -u --top 100 x.u32 -o got --stats 2>&1 | grep unique
