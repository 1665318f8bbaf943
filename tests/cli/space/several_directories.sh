# Several directories: used together, the same bytes; one that is full is passed over; two in one file system
# have its room once.
need_mounts
gsort-gen --dist zipf --type u64 --size "$(sized 24M 12M)" --seed 3 -o x
gsort -t u64 x -o want
mkdir small large
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=4M none small
mount -t tmpfs -o size=60M none large
mkdir large/a large/b
for io in uring threads; do
    for places in "-T large/a -T large/b" "-T small -T large" "-T . -T small -T large/a"; do
        for way in "" "--batch-size 3 --chunk 1M" "--compress zstd"; do
            cat x | timeout 60 gsort -t u64 -o got -S 20M --spill always --window 64K --io $io $places $way
            cmp got want
            timeout 60 gsort -t u64 x -o got -S 20M --spill always --window 64K --io $io $places $way
            cmp got want
        done
    done
done
IN
