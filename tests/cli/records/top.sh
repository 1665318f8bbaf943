# The first K records are those that a whole sort begins with, equal keys in the order of the input: keys
# with ties, alike at first for longer than a tag holds, and of every kind; files and pipes, both ways round.
python3 "$CASES/model.py" make 30000 60 5 x
python3 - <<'P'
import random
source = random.Random(7)
with open('alike', 'wb') as file:
    for i in range(30000):
        file.write(b'the same for all of them' + source.choice(b'ab').to_bytes(1, 'big') + source.randbytes(1) +
                   i.to_bytes(4, 'big') + bytes(30))
P
for file in x alike; do
    for keys in "" "-k 0:b60" "-k 0:b26" "-k 24:uint8 -k 25:uint8:desc" "-k 3:f32:desc" "-k 8:u64be" "-r -k 24:uint8" "-r -k 0:b25"; do
        gsort -R 60 $keys $file -o all
        for k in $(sized "0 1 7 3000 3751 15000 29999 30000 40000" "7 3751 29999 40000"); do
            head -c $((k * 60)) all >want
            timeout 60 gsort -q -R 60 $keys --top $k $file -o got --parallel 3
            cmp got want || echo "differs: $file $keys --top $k"
        done
        cat $file | timeout 60 gsort -q -R 60 $keys --top 2000 | cmp - <(head -c 120000 all) || echo "a pipe differs: $file $keys"
        timeout 60 gsort -q -R 60 $keys --top 2000 --spill always -S 64M --chunk 64K --window 32K $file | cmp - <(head -c 120000 all) ||
            echo "spilled differs: $file $keys"
    done
done
