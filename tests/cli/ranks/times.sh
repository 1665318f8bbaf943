# Times have no sum. Their mean and their quantiles between elements are times, and NaTs are counted.
python3 - <<'P'
import struct
nat = -2**63
times = [0, 946080000, nat, 10**9 + 1, 1700000000, nat]
open('x', 'wb').write(struct.pack('<6q', *times))
open('rows', 'wb').write(b''.join(struct.pack('<Hq', i, time) for i, time in enumerate(times)))
open('large', 'wb').write(struct.pack('<3q', 2**62 + 1, 2**62 + 2, 2**62 + 6)) # a double holds none of them
head = repr({'descr': [('n', '<u2'), ('when', '<M8[s]')], 'fortran_order': False, 'shape': (6,)}) + '\n'
open('rows.npy', 'wb').write(b'\x93NUMPY\x01\0' + struct.pack('<H', len(head)) + head.encode() + open('rows', 'rb').read())
P
options='--variance --quantiles 0.5,0.25,1'
pick() { grep -E '^(field|min|max|sum|mean|deviation|nat|nan|p[0-9])' | tr -s ' '; }
pick_json() { grep -E '"(field|sum|mean|between|nan_count)":' | tr -s ' '; }
gsort -t 'time64[s]' $options --stats-only x | pick
gsort -t 'time64[s]' $options --stats x -o out 2>&1 | pick >sorted
gsort -t 'time64[s]' $options --stats-only x | pick | diff - sorted
gsort -t 'time64[s]' -r $options --stats x -o out 2>&1 | pick | diff - sorted
gsort -t 'time64[s]' $options --stats-only --stats=json x | pick_json
gsort -t 'time64[ns]' --variance --quantiles 0.25 --stats-only large | pick
gsort -t time64 $options --stats-only x | pick
gsort -R 10 -k '2:time64[s]' --quantiles 0.5 --stats-only rows | pick
gsort -k when --quantiles 0.5 --stats-only --stats=json rows.npy | pick_json

# Reports of parts have no sum either, and add up.
gsort -t 'time64[s]' x -o sorted.times
for part in 1 2; do
    gsort -t 'time64[s]' -m --part $part/2 sorted.times -o some --stats=json >part.$part.json
done
gsort -t 'time64[s]' --stats-only --stats=json x >in.json
gsort --join-reports part.[12].json in.json | pick_json
