# A plan stays as it was, whatever memory and processors there are later, as long as it is possible.
gsort-gen --dist uniform --type u64 --size 4M -o x
gsort -t u64 x -o want
free=$(python3 -c "print([int(l.split()[1]) >> 10 for l in open('/proc/meminfo') if l.startswith('MemAvailable')][0])")
share=$((6400 / free + 1)) # in percent: 64 MiB at least

# begun OPTIONS..: a sort that was killed when a part of it was on record.
begun() {
    { GSORT_FAULTS=sync:30=9 gsort-faults x -o out --resume dir --chunk 64K "$@" >report 2>&1 || :; } 2>kill
    python3 "$CASES/../manifest.py" dir/manifest >entries
    grep -q RUN entries || echo "$*: nothing is on record"
}
goes_on() {
    gsort -t u64 x -o out --resume dir --chunk 64K --stats=json "$@" >report || echo "exit $?: $*"
    python3 -c "import json; assert int(json.load(open('report'))['resumed_bytes']) > 0, '$*'"
    cmp out want
    [ ! -e dir ] || ls dir
    rm -f out
}
refused() {
    gsort -t u64 x -o out --resume dir --chunk 64K "$@" 2>&1 && echo "$*: goes on" || echo "exit $?"
    [ -e dir/manifest ] || echo "$*: what was kept is gone"
}

echo "-- a share of memory, more of it, less of it; the default"
for later in $share% $((share + 1))% $((500 + (share + 1) * free / 100))M; do
    begun -S "$share%"
    goes_on -S "$later"
done
begun -S $((share + 1))%
goes_on -S "$share%"
begun -S 64M
goes_on
begun -S 64M
goes_on -S "$share%"

echo "-- memory in bytes: no less"
begun -S 24M
refused -S 23M
goes_on -S 24M
begun -S 24M
goes_on -S 25M

echo "-- threads: fewer, more, where there is memory for them"
begun -S 24M --parallel 2
goes_on -S 24M --parallel 1
begun -S 24M --parallel 1
goes_on -S 24M --parallel 3
begun -S 24M --parallel 1
goes_on -S 200M --parallel 64
python3 -c "
import json
plan = json.load(open('report'))['plan']
assert int(plan['thread_count']) == 64, plan
assert 24 << 20 < int(plan['memory_bytes']) <= 200 << 20, plan"

echo "-- every life another"
for i in $(seq 3 7); do
    { GSORT_FAULTS=sync:$((i * 5))=9 gsort-faults x -o out --resume dir --chunk 64K -S $((20 + 9 * i))M --parallel $((8 - i)) \
        >report 2>&1 || :; } 2>kill
done
goes_on -S 90M --parallel 9

echo "-- the rest is the same, or is named"
begun -S 24M --batch-size 5 --window 64K --compress zstd:3
refused -S 24M --window 64K --compress zstd:3
refused -S 24M --batch-size 5 --window 128K --compress zstd:3
refused -S 24M --batch-size 5 --window 64K --compress zstd:4
refused -S 24M --batch-size 5 --window 64K --compress none
refused -S 24M --batch-size 5 --window 64K --compress zstd:3 --header 8
goes_on -S 24M --batch-size 5 --window 64K --compress zstd:3
