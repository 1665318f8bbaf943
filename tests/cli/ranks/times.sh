# Means and quantiles of times that no double holds; reports of parts have no sum, and add up. Others: tests/model.
python3 - <<'P'
import struct
nat = -2**63
open('x', 'wb').write(struct.pack('<6q', 0, 946080000, nat, 10**9 + 1, 1700000000, nat))
open('large', 'wb').write(struct.pack('<3q', 2**62 + 1, 2**62 + 2, 2**62 + 6))
P
gsort -t 'time64[ns]' --variance --quantiles 0.25 --stats-only large | grep -E '^(min|max|sum|mean|deviation|p[0-9])' | tr -s ' '
gsort -t 'time64[s]' x -o sorted.times
for part in 1 2; do
    gsort -t 'time64[s]' -m --part $part/2 sorted.times -o some --stats=json >part.$part.json
done
gsort -t 'time64[s]' --stats-only --stats=json x >in.json
gsort --join-reports part.[12].json in.json | grep -E '"(field|sum|mean|between|nan_count)":' | tr -s ' '
