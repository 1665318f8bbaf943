# --range: files are one list; statistics, checks and sorts see that part of it.
gsort-gen -d uniform -t u64 -n 1000 -o x.u64
gsort-gen -d uniform -t u64 -n 500 --seed 2 -o y.u64
cat x.u64 y.u64 > both.u64
tail -c +7201 both.u64 | head -c 1600 > part.u64
gsort part.u64 -o want
for options in '' '--spill always --chunk 64K' '--io threads'; do
    gsort --range 900:200 x.u64 y.u64 $options -o got
    cmp want got
done
gsort --range 900:200 both.u64 -o got
cmp want got
gsort --range 900: x.u64 y.u64 --top 5 -o got
tail -c +7201 both.u64 | gsort -t u64 --top 5 -o want
cmp want got
gsort --range 1K:0 x.u64 y.u64 -o got
[ ! -s got ]
gsort --range 1500: x.u64 y.u64 -o got
[ ! -s got ]
gsort --range 0:3 --stats-only --stats x.u64 | head -2
gsort --range 3:4 --explain x.u64 | grep range
gsort --range 3:4 --stats=json x.u64 -o got | python3 -c 'import json, sys; print(json.load(sys.stdin)["range"])'

# Places are those of the file.
gsort x.u64 -o sorted.u64
cat sorted.u64 sorted.u64 > twice.u64
gsort --check --range 0:1000 twice.u64
gsort --check --range 1000:1000 twice.u64
gsort --check --range 500:1000 twice.u64 || echo "exit $?"
gsort -m --range 500:1000 twice.u64 -o got || echo "exit $?"

# Records after a header, and .npy files.
(printf 'head'; cat x.u64) > x.rec
gsort --header 4 -R 16 -k 4:u32be --range 100:50 x.rec -o got
(printf 'head'; tail -c +1601 x.u64 | head -c 800 | gsort -R 16 -k 4:u32be) | cmp - got
gsort x.u64 -o x.npy
gsort --range 990: --drop-tail x.npy -o ten.npy
tail -c 80 sorted.u64 | cmp - <(tail -c 80 ten.npy)
gsort --stats-only --stats ten.npy | head -1
gsort --range 2:3 < sorted.u64 -o got -t u64
tail -c +17 sorted.u64 | head -c 24 | cmp - got

# Quantiles that need several passes over the part.
gsort-gen -d uniform -t u64 -n 400000 -o large.u64
tail -c +800001 large.u64 | head -c 1600000 > middle.u64
gsort --stats-only --quantiles 0.1,0.5 -S 16M middle.u64 | grep '^p0' > want
gsort --stats-only --quantiles 0.1,0.5 -S 16M --range 100K:200K large.u64 | grep '^p0' | cmp want -
