# Which of equal keys stay: reports, and what is refused.
python3 - <<'P'
import random, struct
random.seed(6)
open('in', 'wb').write(b''.join(struct.pack('<HhI', random.randrange(9000), random.randrange(-3, 3), i) for i in range(20000)))
P
keys="-R 8 -k 0:u16 -k 2:i16:desc"
gsort $keys in -o sorted
gsort -u --keep dups --group 1 $keys in -o got --stats 2>&1 | grep unique
gsort -u --keep dups --group 1 $keys in -o got --stats=json | grep -E '"(unique|group)_count'
# Numbers: the last of equal ones is the first of them.
printf '\1\0\0\0\3\0\0\0\2\0\0\0\3\0\0\0' >x.u32
for keep in first last singles dups repeated; do
    gsort -u --keep $keep x.u32 -o y.u32
    gsort --head 9 y.u32 | tr '\n' ' '
done
echo
# Options that mean nothing here.
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
