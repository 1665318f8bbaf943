# What --where keeps and leaves out, in both reports and in the plan; conditions are anded.
gsort-gen -d uniform -t u64 -n 1000 -o x.u64
gsort --stats-only x.u64 --where '>=0x8000000000000000' | head -2
gsort --explain x.u64 -o y --where '>=5' --where '!=7' | grep where
gsort --stats-only --stats=json --where '<0x8000000000000000' x.u64 >kept.json
gsort --stats-only --stats=json --where '>=0x8000000000000000' x.u64 >rest.json
gsort --stats-only --stats=json x.u64 >all.json
python3 - <<'P'
import json
kept, rest, all_ = (json.load(open(name + '.json')) for name in ('kept', 'rest', 'all'))
print(*kept['where'], *rest['where'], len(all_['where']))
print(kept['left_out_count'] == rest['tally']['count'], kept['tally']['count'] == rest['left_out_count'], all_['left_out_count'])
print(kept['left_out_fingerprint'] == rest['tally']['fingerprint'], kept['input_bytes'])
total = int(kept['tally']['fingerprint'], 16) + int(rest['tally']['fingerprint'], 16)
print(total % 2**128 == int(all_['tally']['fingerprint'], 16))
P

# The sort after it, from a file and from a pipe, and of what has to go back into the input's place.
gsort --where '<1000000000000000000' x.u64 -o y.u64
cat x.u64 | gsort -t u64 --where '<1000000000000000000' | cmp - y.u64
gsort --where '<1000000000000000000' x.u64 -o x.u64
cmp x.u64 y.u64
gsort --where '<0' y.u64 -o none.u64
wc -c <none.u64
