# Output and spilled runs together never need more than the plan says: the file system is hardly larger. Files that
# overlap, and files that follow each other.
need_mounts
for i in 1 2 3 4 5 6 7; do gsort-gen --dist uniform --type u64 --size 2M --seed $i | gsort -t u64 >s$i.u64; done
gsort -t u64 s?.u64 -o sorted
split -d -a 1 -b 2M --additional-suffix .u64 sorted c
mkdir small
for files in s c; do
    for way in "--batch-size 2" "--batch-size 3 --window 64K" "--batch-size 6 --window 64K"; do
        bytes=$(gsort -t u64 -m $files?.u64 -o x -S 24M $way --compress none --stats=json |
            python3 -c "import json, sys; print(int(json.load(sys.stdin)['plan']['space_bytes']) // 4096 * 4096 + 65536)")
        files=$files way=$way bytes=$bytes unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=$bytes none small
timeout 60 gsort -t u64 -m $files?.u64 -o small/out -S 24M $way --compress none
cmp small/out sorted || echo "$files $way"
IN
    done
done
