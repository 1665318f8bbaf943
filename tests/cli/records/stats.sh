# Aggregates of fields in a report; without a number among the keys there are none.
python3 -c 'import random, sys; random.seed(7); sys.stdout.buffer.write(random.randbytes(200000))' >in
gsort -R 40 -k 0:b2 -k 5:u32 -k 8:i64 in -o out --stats 2>&1 | grep -E '^(type|field)'
gsort -R 40 --stats-only --stats=json --stats-of 0:f64 --stats-of 8:u32 in |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["type"], len(r["keys"]), *(x for f in r["fields"] for x in (f["field"], f["count"])), *sorted(r["tally"]))'
gsort -R 40 --stats-only in | sed -n '1,3p; /min/p; /sum/p'
cmp <(gsort -R 40 --stats-only --stats=json in | grep fingerprint) <(gsort -R 40 --stats-only --stats=json out | grep fingerprint)
