# -m --part: parts one after the other are the merge, ties by the order of the files.
for i in 1 2 3; do
    gsort-gen -d uniform -t u64 -n $((i * 1000)) --seed $i | gsort -R 16 -k 0:uint8 -o $i.rec
done
gsort -m -R 16 -k 0:uint8 1.rec 2.rec 3.rec -o all
for parts in 1 2 7; do
    for part in $(seq $parts); do
        gsort -m -R 16 -k 0:uint8 --part $part/$parts 1.rec 2.rec 3.rec
    done | cmp - all
done
for part in 1 2; do
    gsort -m -R 16 -k 0:uint8 --range 700: --part $part/2 1.rec 2.rec 3.rec
done > got
gsort -m -R 16 -k 0:uint8 --range 700: 1.rec 2.rec 3.rec | cmp - got
for part in 1 2 3; do
    gsort -m -R 16 -k 0:uint8 --where '8:uint8<100' --part $part/3 1.rec 2.rec 3.rec
done > got
gsort -m -R 16 -k 0:uint8 --where '8:uint8<100' 1.rec 2.rec 3.rec | cmp - got

# More parts than elements, empty files.
head -c 32 1.rec > two.rec
: > none.rec
for part in 1 2 3; do
    gsort -m -R 16 -k 0:uint8 --part $part/3 none.rec two.rec
done | cmp - two.rec
gsort -m -R 16 --part 2/3 none.rec | wc -c

gsort -m -R 16 -k 0:uint8 --part 2/4 --explain 1.rec 2.rec 3.rec | grep part
gsort -m -R 16 -k 0:uint8 --part 2/4 --stats=json 1.rec 2.rec 3.rec -o got |
    python3 -c 'import json, sys; report = json.load(sys.stdin); print(report["part"], report["output_bytes"])'
