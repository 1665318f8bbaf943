# Predicted and actual runs, passes and bytes are equal if frames are raw. If the tree of merges has more than two levels, they
# may differ by the padding of one frame per run.
gsort-gen --dist uniform --type u64 --size "$(sized 49M 25M)" -o x
for way in "-S 1G" "-S 24M" "-S 16M" "-S 11M" "-S 64M --spill always" \
    "-S 64M --spill always --chunk 64K --window 16K" "-S 64M --spill always --batch-size 7 --chunk 1500K" \
    "-S 64M --spill always --batch-size 3 --chunk 256K" "-S 40M --batch-size 2 --chunk 256K" \
    "-S 1G --verify=read" "-S 16M --verify=read"; do
    gsort -t u64 x -o y $way --compress none --stats=json >report
    python3 - "$way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
for name in ('run_count', 'spilled_runs', 'spilled_bytes', 'merge_passes'):
    assert int(p[name]) == int(r[name]), (sys.argv[1], name, p[name], r[name])
padding = 4096 * int(p['spilled_runs']) if int(p['merge_passes']) > 1 else 0
for name in ('bytes_read', 'bytes_written'):
    assert abs(p[name] - r[name]) <= padding, (sys.argv[1], name, p[name], r[name])
assert int(r['memory_peak_bytes']) <= int(p['memory_bytes'])
assert sum(map(int, r['memory'].values())) == int(r['memory_peak_bytes'])
phases = sum(phase['seconds'] for phase in r['phases'])
assert 0 < r['device_start_seconds'] <= r['start_seconds']
assert r['start_seconds'] + phases <= r['seconds'] + 1e-6, (r['start_seconds'], phases, r['seconds'])
assert r['end_seconds'] > 0
for phase in r['phases']:
    assert phase['io_busy_seconds'] <= phase['seconds']
    assert (phase['io_busy_seconds'] > 0) == (phase['bytes_read'] + phase['bytes_written'] > 0), phase
P
done
