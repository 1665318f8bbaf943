# Which of equal keys stay, by all keys and by the first of them, against a model; with counts, --top, -r and -m.
cat >keep.py <<'P'
import itertools, struct, sys
keep, counts, group, reverse, top = sys.argv[1], sys.argv[2] == '--count', int(sys.argv[3]), sys.argv[4] == '-r', int(sys.argv[5])
rows = [struct.unpack('<HhI', row) + (row,) for (row,) in struct.iter_unpack('8s', open('in', 'rb').read())]
rows.sort(key=lambda row: (row[0], -row[1]) if not reverse else (-row[0], row[1]))
out = []
for key, rows in itertools.groupby(rows, key=lambda row: row[:group]):
    rows = list(rows)
    if keep == 'singles' and len(rows) > 1 or keep == 'dups' and len(rows) == 1:
        continue
    if keep == 'repeated':
        out += [row[3] for row in rows if len(rows) > 1]
        continue
    out.append(rows[-1 if keep == 'last' else 0][3] + (struct.pack('<Q', len(rows)) if counts else b''))
sys.stdout.buffer.write(b''.join(out[:top]))
P
python3 - <<'P'
import random, struct
random.seed(6)
open('in', 'wb').write(b''.join(struct.pack('<HhI', random.randrange(9000), random.randrange(-3, 3), i) for i in range(20000)))
P
keys="-R 8 -k 0:u16 -k 2:i16:desc"
for keep in first last singles dups repeated; do
    for group in 1 2; do
        for how in "-r 7 --count" "+ 1000000 --count" "-r 1000000" "+ 4097"; do
            set -- $how
            [ $keep != repeated ] || set -- $1 $2
            reverse=${1#+}
            python3 keep.py $keep "${3:-}" $group "$1" $2 >want
            for way in "" "--spill always -S 20M --chunk 64K" "--io threads --parallel 1 --window 32K"; do
                gsort -u --keep $keep --group $group $keys $reverse --top $2 ${3:-} in -o got $way
                cmp got want || echo "--keep $keep --group $group $how $way"
            done
        done
        python3 keep.py $keep "" $group "" 1000000 >want
        gsort $keys in -o sorted
        gsort -m $keys -u --keep $keep --group $group sorted | cmp - want
        gsort $keys -u --keep $keep --group $group in -o got --verify read
        cmp got want
    done
done
gsort -u --keep dups --group 1 $keys in -o got --stats 2>&1 | grep unique
gsort -u --keep dups --group 1 $keys in -o got --stats=json | grep -E '"(unique|group)_count'
# Numbers: the last of equal ones is the first of them.
printf '\1\0\0\0\3\0\0\0\2\0\0\0\3\0\0\0' >x.u32
for keep in first last singles dups repeated; do
    gsort -u --keep $keep x.u32 -o y.u32
    gsort --head 9 y.u32 | tr '\n' ' '
done
echo
# What has no meaning.
set +e
gsort --keep last x.u32 -o y.u32
gsort --group 1 x.u32 -o y.u32
gsort -u --group 1 x.u32 -o y.u32
gsort -u --group 3 $keys in -o y
gsort -u --group 1 -R 8 in -o y
gsort -u --keep some x.u32 -o y.u32
gsort -u --group 0 $keys in -o y
gsort -c -u --group 1 $keys in; echo $?
gsort -c -u --keep last $keys in
gsort -u --keep last --resume kept $keys in -o y
echo $?
# Checked by the first key: each is there once, or the line says which is not; over many buffers, and their borders.
gsort -u --group 1 $keys in -o once
for way in "" "--io threads --parallel 1 --window 12K"; do
    gsort -c -u --group 1 $keys $way once
    gsort -c -u --group 1 $keys $way sorted
    cat once <(tail -c 8 once | head -c 2; printf '\0\200zzzz') >twice
    gsort -c -u $keys $way twice
    gsort -c -u --group 1 $keys $way twice
    gsort -c -u --group 1 --stats=json $keys $way sorted 2>/dev/null | grep duplicate_count
done
