# Predicted and actual bytes and runs agree, whatever the length of a record, and memory stays under its ceiling.
gsort-gen --dist uniform --type u64 --size 20M -o x
for record in $(sized "3 8 100 4096 30000" "100 30000"); do
    truncate -s $((20000000 / record * record)) x
    for way in "-S 1G" "-S 24M" "-S 14M" "-S 64M --spill always"; do
        gsort -R $record x -o y $way --compress none --stats=json >report
        python3 - "$record $way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
for name in ('run_count', 'spilled_runs', 'spilled_bytes', 'merge_passes'):
    assert int(p[name]) == int(r[name]), (sys.argv[1], name, p[name], r[name])
for name, got in (('bytes_read', r['bytes_read']), ('bytes_written', r['bytes_written'])):
    assert abs(int(p[name]) - int(got)) < 0.05 * int(got), (sys.argv[1], name, p[name], got)
assert int(r['memory_peak_bytes']) <= int(p['memory_bytes'])
P
    done
done

# An output shorter than a page is counted, too.
head -c 1000 /dev/urandom >x
gsort -R 100 x -o y --stats=json | python3 -c "import json, sys; assert json.load(sys.stdin)['bytes_written'] == 1000"
