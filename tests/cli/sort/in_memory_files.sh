# Many threads map an output in tmpfs; one thread writes it. The bytes are the same. If there is too little room, gsort fails and
# the old output stays.
need_mounts
gsort-gen --dist uniform --type u64 --size "$(sized 24M 6M)" -o x
gsort-gen --dist uniform --type u32 --size 3M -o y
python3 -c 'import sys
head = b"{\x27descr\x27: \x27<u4\x27, \x27fortran_order\x27: False, \x27shape\x27: (786432,), }"
sys.stdout.buffer.write(b"\x93NUMPY\x01\0v\0" + head.ljust(117) + b"\n" + open("y", "rb").read())' >y.npy
mkdir memory small
unshare -rm bash -eu <<'IN'
mount -t tmpfs none memory
mount -t tmpfs -o size=2M none small
while read -r input options; do
    gsort -q $input $options --parallel 1 -o one
    gsort -q $input $options --parallel 8 -o memory/eight
    cmp one memory/eight || echo "$input $options: other bytes"
done <<'JOBS'
x -t u64
x -t f64 --stats=json:report
x -t u64be --reverse
x -t u64 --argsort
x -t u64 -u --count
x -t u64 --top 1000
x -t u64 --header 24
x -t u64 --header 24 --where >9000000000000000000
x -R 24 -k 3:u32be
x -R 12 -k 0:u32 --verify=read
x -R 8 -k 4:u32 --out 0:4
x -t u64 --zstd
x -t u64 -S 20M --spill always
one -m --zstd
y.npy
JOBS
printf old >small/out
code=0
gsort -q x -t u64 --parallel 8 -o small/out 2>/dev/null || code=$?
[ $code -eq 3 ] && [ "$(cat small/out)" = old ] || echo "no room: exit $code"
IN
