# Killed at random moments, again and again: the output is what it would have been, and nothing is left.
kills=$(sized 6 4)
gsort-gen --dist uniform --type f64 --size "$(sized 24M 6M)" -o x.f64
gsort-gen --dist zipf --type u32 --size "$(sized 12M 3M)" -o y.u32
head -c "$(sized 24000000 3000000)" x.f64 >x.rec
head -c 2000033 y.u32 >h.rec
head -c 80 x.f64 >few.f64
: >none.f64
python3 - <<'P'
head = b"{'descr': [('a', '>u2'), ('b', '<f4')], 'fortran_order': False, 'shape': (300000,), }"
with open('x.npy', 'wb') as file:
    file.write(b'\x93NUMPY\x01\x00v\x00' + head.ljust(117) + b'\n' + open('x.f64', 'rb').read()[:1800000])
P
engines="threads uring"
gsort few.f64 --io uring 2>/dev/null >out || engines=threads
rm -f out
while read -r options; do
    # shellcheck disable=SC2086
    gsort $options -o want --stats=json >/dev/null
    for io in $engines; do
        # shellcheck disable=SC2086
        python3 "$CASES/../kill_and_resume.py" "$kills" 200 gsort-faults $options -o out --resume dir --io $io --stats=json >numbers ||
            echo "$options, $io"
        cmp out want || echo "$options, $io"
        [ ! -e dir ] || { echo "$options, $io: left behind:"; ls -la dir; }
        rm -f out
    done
done <<'JOBS'
x.f64 -S 12M
x.f64 -S 12M -r --batch-size 3 --verify=read
x.f64 y.u32 few.f64 -q -t u32 -S 12M --chunk 64K
x.rec -R 100 -k 7:b16 -S 12M
x.rec -R 5000 -k 7:u64:desc --stats-of 3:f32 -S 24M
x.rec -R 48 -k 3:u32be --batch-size 4 --compress zstd -S 24M
x.f64 --batch-size 3 --compress deltas -S 24M
h.rec --header 33 -R 100 -k 0:b3 -S 12M
x.npy --key b:desc --key a -S 12M
x.f64 -q -t u128 --parallel 1 --window 8K --chunk 128K -S 12M
x.f64 -q -t uint8 -S 12M
h.rec -q -t int16 -r --header 33 --verify=read --window 64K -S 12M
x.f64 -S 12M --shuffle=7
y.u32 few.f64 -q -t u32 -S 12M --chunk 64K --shuffle=0 --verify=read
x.rec -R 100 -S 24M --batch-size 3 --shuffle=1
x.rec -R 5000 --stats-of 3:f32 -S 24M --shuffle=18446744073709551615
h.rec --header 33 -R 20 -S 12M --window 16K --shuffle=3
few.f64 --shuffle=2
few.f64
none.f64 --shuffle=2
none.f64
JOBS
