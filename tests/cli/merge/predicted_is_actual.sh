# Predicted and actual runs, passes and bytes agree where frames are raw, memory and disk stay within what was said.
for i in 1 2 3 4 5 6 7 8 9; do gsort-gen --dist uniform --type u64 --size $((i * 700))K --seed $i | gsort -t u64 >s$i.u64; done
gsort -t u64 s?.u64 -o want
for way in "" "-S 24M" "-S 11M" "-S 40M --batch-size 2" "-S 40M --batch-size 4 --window 64K" "-S 30M --batch-size 8"; do
    gsort -t u64 -m s?.u64 -o got $way --compress none --stats=json >report
    cmp got want || echo "$way"
    python3 - "$way" <<'P'
import json, sys
r = json.load(open('report'))
p = r['plan']
for name in ('run_count', 'spilled_runs', 'spilled_bytes', 'merge_passes'):
    assert int(p[name]) == int(r[name]), (sys.argv[1], name, p[name], r[name])
for name, got in (('bytes_read', r['bytes_read']), ('bytes_written', r['bytes_written'])):
    assert int(p[name]) == int(got), (sys.argv[1], name, p[name], got)
for planned, done in zip(p['phases'], r['phases']):
    for name in 'name', 'bytes_read', 'bytes_written':
        assert planned[name] == done[name], (sys.argv[1], planned, done)
assert int(r['memory_peak_bytes']) <= int(p['memory_bytes'])
assert int(r['temp_bytes']) <= int(p['temp_bytes']), (sys.argv[1], r['temp_bytes'], p['temp_bytes'])
assert (int(p['merge_passes']) > 0) == ('batch' in sys.argv[1]), sys.argv[1]
P
done
