# A merge reads while it writes. It refuses to overwrite its inputs, but it may write after them, or replace them at
# the end.
gsort-gen --type u64 --dist sorted --count 3000 -o a
gsort-gen --type u64 --dist sorted --count 3000 --seed 2 -o b
cp b old
refused() {
    [ $1 = 2 ] || echo "exit $1"
    cmp b old
}
gsort -q -t u64 -m a b 1<>b || refused $?
gsort -q -t u64 -m a - <b 1<>b || refused $?
gsort -q -t u64 -m a b -o /dev/fd/3 3<>b || refused $?
for set in intersect except semi anti union; do # those that are only looked at, too
    gsort -q -t u64 --merge=$set a b 1<>b || refused $?
done
gsort -q -t u64 -m a b >want
gsort -q -t u64 -m a b >>b
tail -c +24001 b | cmp - want
cp old b
gsort -q -t u64 -m a b -o b
cmp b want
cp old b
gsort -q -t u64 b a 1<>b # what is sorted is read before
cmp b want
