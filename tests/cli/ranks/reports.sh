# Quantiles, how many values differ and the most frequent one, in both reports; from a file and from a pipe, of records.
python3 -c 'import struct; open("x.f64", "wb").write(struct.pack("<9d", 4, -1, 2.5, float("nan"), 2.5, 0.0, -0.0, 1e300, float("inf")))'
pick() { grep -E '^(p[0-9.]|median|distinct|mode|ranks of)'; }
gsort x.f64 -o y.f64 --quantiles 0,0.25,median,0.875,.9,1 --distinct --mode --stats 2>&1 | pick
cat x.f64 | gsort -t f64 -r -o y.f64 --quantiles 0.25 --mode --stats 2>&1 | pick
gsort x.f64 -o y.f64 --quantiles 0.3,1 --where '>0' --stats=json >report.json
python3 - <<'P'
import json
report = json.load(open('report.json'))
for q in report['quantiles']:
    print(*q.values())
print(report['ranks_of'], report['distinct_count'], report['mode_count'], report['mode'])
P
gsort -R 12 -k 4:i16be:desc -k 0:u32 --quantiles 0.5,1 --distinct --mode <x.f64 --stats=json 2>report.json >/dev/null
python3 -c 'import json; r = json.load(open("report.json")); print(r["ranks_of"], [q["value"] for q in r["quantiles"]][0], r["distinct_count"])'
gsort --where '>5e300' --where '<6e300' x.f64 -o y.f64 --quantiles 0.5 --mode --stats 2>&1 | pick
python3 -c 'import struct; open("tens.f64", "wb").write(struct.pack("<5d", 10, 20, 30, 1000, 1e15)); open("tens.f32", "wb").write(struct.pack("<3f", 0.1, 30, 1e5))'
for file in tens.f64 tens.f32; do # a parenthesis only where the number between elements is another one
    gsort --stats-only --quantiles 0,0.3,0.5,1 --variance $file | grep -E '^(p[0-9]|sum|m|var)'
done
