# Output and spilled runs on one file system never need more than the input and a tenth: the file system is no
# larger. Runs merged at once and in several passes, merged evenly and one after the other.
need_mounts
gsort-gen --dist uniform --type u64 --size 64M -o uniform
gsort -t u64 uniform -o sorted
mkdir small
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=73816064 none small
for input in uniform sorted; do
    for way in "-S 24M" "-S 24M --io threads" "-S 32M --batch-size 3 --chunk 2M"; do
        timeout 120 gsort -t u64 $input -o small/out $way --spill always --compress none --window 64K --stats=json >report
        cmp small/out sorted
        rm small/out
        python3 - "$input $way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
assert int(p['space_bytes']) <= 1.1 * int(p['input_bytes']), (sys.argv[1], p)
assert int(p['spilled_bytes']) <= int(r['temp_bytes']) <= int(p['temp_bytes']), (sys.argv[1], r['temp_bytes'], p)
P
    done
done
IN
