# Predicted and actual bytes and runs agree (bytes: where frames are raw).
gsort-gen --dist uniform --type u64 --size 48M -o x
for way in "-S 1G" "-S 24M" "-S 16M" "-S 64M --spill always" "-S 64M --spill always --batch-size 4 --chunk 2M"; do
    gsort x -o y $way --compress none --stats=json >report
    python3 - "$way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
for name in ('run_count', 'spilled_runs', 'spilled_bytes'):
    assert int(p[name]) == int(r[name]), (sys.argv[1], name, p[name], r[name])
for name, got in (('read_bytes', r['bytes_read']), ('write_bytes', r['bytes_written'])):
    assert abs(int(p[name]) - int(got)) < 0.05 * int(got), (sys.argv[1], name, p[name], got)
assert int(r['memory_peak_bytes']) <= int(p['memory_bytes'])
assert sum(map(int, r['memory'].values())) == int(r['memory_peak_bytes'])
for phase in r['phases']:
    assert phase['io_busy_seconds'] <= phase['seconds']
    assert (phase['io_busy_seconds'] > 0) == (phase['bytes_read'] + phase['bytes_written'] > 0), phase
P
done
