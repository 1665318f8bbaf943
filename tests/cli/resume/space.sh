# A resumable sort needs the predicted space, however often it is killed. With less it is refused before it reads
# anything, and leaves no files.
need_mounts
gsort-gen --dist uniform --type u64 --size 24M -o x
gsort -t u64 x -o want
mkdir small
export CASES
unshare -rm bash -eu <<'IN'
for way in "-S 16M" "-S 24M --batch-size 3 --chunk 512K"; do
    gsort -t u64 x -o out --resume dir --compress none $way --stats=json >report
    rm out
    bytes=$(python3 - "$way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
assert int(p['spilled_bytes']) <= int(r['temp_bytes']) <= int(p['temp_bytes']), (sys.argv[1], r['temp_bytes'], p)
assert int(p['space_bytes']) >= int(p['temp_bytes']) + int(p['output_bytes']), (sys.argv[1], p)
print(int(p['space_bytes']) + (1 << 20))  # and the record
P
    )
    mount -t tmpfs -o size=$bytes none small
    python3 "$CASES/../kill_and_resume.py" 6 100 gsort-faults -t u64 x -o small/out --resume small/dir --compress none $way --stats=json >numbers
    cmp small/out want
    ls small
    rm small/out
    head -c 4M x >small/other
    gsort -t u64 x -o small/out --resume small/dir --compress none $way 2>error && echo "there was room" || echo "exit $?"
    sed 's/[0-9][0-9]* \(bytes\|are free\)/so many \1/g; s|/.*/small|small|' error
    ls small
    umount small
done
IN
