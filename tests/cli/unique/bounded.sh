# Memory and disk that were planned for are enough, on a file system of just that size; what is predicted is not
# exceeded, and is what happens where all elements are distinct.
need_mounts
gsort-gen --dist uniform --type u64 --size 32M -o distinct
gsort-gen --dist zipf --type u64 --size 32M -o zipf
mkdir small
unshare -rm bash -eu <<'IN'
for input in distinct zipf; do
    for way in "-S 24M --spill always" "-S 24M --count" "-S 20M --io threads --spill always --count" "-S 100M --count"; do
        way="$way -u --compress none"
        gsort -t u64 $input -o small/out $way --explain -v >/dev/null
        gsort -t u64 $input $way --stats=json -o want 2>/dev/null >report
        space=$(python3 -c 'import json; print(int(json.load(open("report"))["plan"]["space_bytes"]) + (1 << 16))')
        mount -t tmpfs -o size=$space none small
        timeout 120 gsort -t u64 $input -o small/out $way --stats=json >report
        cmp small/out want || echo "$input $way"
        umount small
        python3 - "$input" "$way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
entry = 16 if '--count' in sys.argv[2] else 8
count = int(r['unique_count'])
assert int(r['output_bytes']) == count * entry
assert int(p['output_bytes']) == int(p['input_bytes']) // 8 * entry
assert int(r['bytes_written']) <= int(p['bytes_written'])
if sys.argv[1] == 'distinct':
    assert count == int(r['tally']['count']) and int(r['bytes_written']) == int(p['bytes_written']), (sys.argv, r, p)
else:
    assert count < int(r['tally']['count']) // 2
assert int(r['memory_peak_bytes']) <= int(p['memory_bytes'])
P
    done
done
IN
