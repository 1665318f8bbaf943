# --ties=bytes: equal keys are put in the order of all other bytes, so the order of the input does not matter.
python3 - <<'PY'
import random
source = random.Random(5)
records = [bytes((source.randrange(3), source.randrange(4), 0, source.randrange(2))) * 1 + source.randbytes(1) * 12 for _ in range(20000)]
for name in "a", "b":
    source.shuffle(records)
    open(name, "wb").write(b"".join(records))
key = lambda x: int.from_bytes(x[1:3], "little")
up, down = sorted(records, key=lambda x: (key(x), x[0], x[3:])), sorted(records, key=lambda x: (key(x), x[0], x[3:]), reverse=True)
open("up", "wb").write(b"".join(up))
open("down", "wb").write(b"".join(down))
firsts, lasts = {}, {}
for x in up:
    firsts.setdefault(key(x), x)
    lasts[key(x)] = x
open("firsts", "wb").write(b"".join(firsts.values()))
open("lasts", "wb").write(b"".join(lasts.values()))
PY
for file in a b; do
    gsort -q -R 16 -k 1:u16 --ties=bytes $file -o got
    cmp up got || echo "differs"
    gsort -q -R 16 -k 1:u16 --ties=bytes -r $file -o got
    cmp down got || echo "the reverse differs"
    gsort -q -R 16 -k 1:u16:desc --ties=bytes --top 500 $file -o got.$file
    gsort -q -R 16 -k 1:u16 --ties=bytes -u $file -o got
    cmp firsts got || echo "the first of groups differ"
    gsort -q -R 16 -k 1:u16 --ties=bytes -u --max 8:u64 $file -o folded.$file
    gsort -q -R 16 -k 1:u16 --ties=bytes -u --keep last --spill always --chunk 16K $file -o got
    cmp lasts got || echo "the last of groups differ"
done
cmp folded.a folded.b || echo "folds depend on the order of the input"
cmp -n 8 folded.a firsts || echo "a fold is not of the first of its group"
cmp got.a got.b || echo "the first 500 depend on the order of the input"
gsort -q -R 16 -k 1:u16 --ties=bytes -m up up -o twice
gsort -q -R 16 -k 1:u16 --ties=bytes up up -o got
cmp twice got || echo "a merge differs"
gsort -q -R 16 -k 1:u16 --ties=bytes -c up || echo "is not in order"
for shape in "-R 16 -k 1:u16" "-R 8 -k 1:u16" "-R 100 -k 1:b2"; do # duplicates have equal keys
    head -c 40000 up >some
    gsort -q $shape --ties=bytes some -o sorted
    gsort -q $shape --ties=bytes -c --stats=json sorted | grep duplicate >got
    gsort -q $shape -c --stats=json sorted | grep duplicate | cmp - got
done
gsort -q -R 16 -k 1:u16 -c up || echo "is not in order by the key alone"
gsort -q -R 16 -k 1:u16 a -o by_input
gsort -q -R 16 -k 1:u16 --ties=bytes --check=quiet by_input && echo "ties of the input are in order"
gsort -q --ties=bytes -t u64 a -o got || echo "exit $?"
gsort -q --ties=other -R 16 a -o got || echo "exit $?"
