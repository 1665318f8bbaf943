# Aggregates that Python agrees with.
gsort-gen --dist uniform --type i64 --count 100000 --seed 9 -o x.i64
gsort --stats-only --stats=json x.i64 >report
python3 - <<'P'
import array, json
a = array.array('q', open('x.i64', 'rb').read())
r = json.load(open('report'))
t = r.get('tally', r)
assert int(t['count']) == len(a), t
assert int(t['min']) == min(a) and int(t['max']) == max(a) and int(t['sum']) == sum(a), t
P
