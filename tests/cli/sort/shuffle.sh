# A shuffle depends only on its seed and its elements. It is the same in any amount of memory, on any number of threads, from
# pipes, and with positions, values and fields. Elements that --where leaves out count as absent. A sample is the beginning of a
# shuffle.
gsort-gen --dist uniform --type u64 --count 300000 --seed 3 -o a.u64
gsort-gen --dist uniform --type u64 --count 1000 --seed 4 -o b.u64
cat a.u64 b.u64 >whole.u64
gsort -q a.u64 b.u64 -o sorted.u64
gsort --shuffle=7 whole.u64 -o want.u64
cmp -s whole.u64 want.u64 && echo "not shuffled"
gsort -q want.u64 | cmp - sorted.u64
for way in "--spill always -S 11M --parallel 1 --io threads" "--spill always --chunk 512K --window 64K --batch-size 3" "--verify read" \
    "--device cpu --parallel 3"; do
    gsort --shuffle=7 $way a.u64 b.u64 -o got.u64
    cmp got.u64 want.u64 || echo "differs: $way"
done
cat whole.u64 | gsort -t u64 --shuffle=7 | cmp - want.u64
gsort --shuffle=8 whole.u64 | cmp -s - want.u64 && echo "the seed does not count"
# Elements of any length.
for bytes in 1 3 4 7 12 16 100 4001; do
    head -c $((bytes * 600)) whole.u64 >"in"
    gsort -R $bytes --shuffle=5 "in" -o one
    gsort -R $bytes --shuffle=5 --spill always -S 24M "in" -o other
    cmp one other
    gsort -R $bytes one -o one
    gsort -R $bytes "in" | cmp - one
done
# Samples.
for k in 0 1 1000 301000 400000; do
    for way in "" "--spill always -S 11M"; do
        gsort --sample $k --shuffle=7 $way whole.u64 -o got.u64
        head -c $((k * 8)) want.u64 | cmp - got.u64 || echo "--sample $k $way"
    done
done
# Positions, values, fields and several files.
gsort --shuffle=7 --argsort whole.u64 -o places.u64
gsort --shuffle=7 whole.u64 --values whole.u64:8=values -o got.u64
cmp got.u64 want.u64
cmp values want.u64
gsort -R 8 --shuffle=7 --out 4:4,0:4 whole.u64 -o halves
gsort --shuffle=7 --split 3 whole.u64 -o part.%d.u64
cat part.?.u64 | cmp - want.u64
gsort --shuffle=7 --out-order big whole.u64 -o got.u64be
gsort --shuffle=7 --zstd whole.u64 -o got.u64.zst
zstd -dc got.u64.zst | cmp - want.u64
gsort -R 8 --where '0:u64>1000000000' whole.u64 --shuffle=7 -o got.u64
python3 - <<'END'
import array
def read(name):
    a = array.array('Q')
    a.frombytes(open(name, 'rb').read())
    return a
whole, want = read('whole.u64'), read('want.u64')
assert [whole[i] for i in read('places.u64')] == want.tolist()
halves = read('halves')
assert [h >> 32 | (h & 0xffffffff) << 32 for h in halves] == want.tolist()
big = read('got.u64be')
big.byteswap()
assert big == want
open('kept.u64', 'wb').write(b''.join(x.to_bytes(8, 'little') for x in whole if x > 1000000000))
END
gsort --shuffle=7 kept.u64 | cmp - got.u64
gsort --range 1000:5000 --shuffle=7 whole.u64 -o got.u64
tail -c +8001 whole.u64 | head -c 40000 | gsort -t u64 --shuffle=7 | cmp - got.u64
# A seed that gsort draws is new each time; the report has it.
gsort --shuffle whole.u64 -o one.u64 --stats=json:report.json
gsort --shuffle whole.u64 -o two.u64
cmp -s one.u64 two.u64 && echo "the same seed twice"
seed=$(sed -n 's/^ *"shuffle_seed": \([0-9]*\),/\1/p' report.json)
gsort --shuffle="$seed" whole.u64 | cmp - one.u64
gsort --shuffle=18446744073709551615 b.u64 -o two.u64 --stats 2>&1 | grep ^shuffle
# Refused.
for options in --shuffle=-1 --shuffle=18446744073709551616 --shuffle=1x --shuffle= --sample=x "--shuffle -r" "--sample 3 -u" "--shuffle --top 3" \
    "--shuffle -m" "--sample 3 --mode" "--sample 3 --resume d" "--shuffle --split-at 3" "-R 16 -k 0:u64 --shuffle" "-R 65532 --drop-tail --shuffle"; do
    gsort $options whole.u64 -o refused.u64 && echo "not refused: $options"
    [ ! -e refused.u64 ] || echo "written: $options"
done
