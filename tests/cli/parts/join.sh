# --join-reports: reports of parts are one of the whole, as a merge's is; what does not add up, exit 4.
for i in 1 2 3; do
    gsort-gen -d normal -t f32 -n $((i * 1000)) --seed $i -o $i.f32
    gsort $i.f32 -o $i.sorted.f32 --stats=json > in.$i.json
done
for part in 1 2 3 4; do
    gsort -m --part $part/4 [123].sorted.f32 --into all.f32 --stats=json > part.$part.json
    gsort -m --part $part/4 --where '>0' [123].sorted.f32 -o some --stats=json > where.$part.json
done
gsort --check --stats=json all.f32 > check.json
cat > compare.py <<'END'
import json, sys
joined, whole = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
for name in 'type', 'element_bytes', 'reverse', 'first_key', 'last_key', 'input_bytes', 'output_bytes', 'left_out_count':
    if joined[name] != whole[name]:
        print(name, joined[name], whole[name])
for tally, other in [(joined['tally'], whole['tally'])] + list(zip(joined.get('fields', []), whole.get('fields', []))):
    for name in tally:
        if tally[name] != other[name] and not (name == 'sum' and tally[name] is None and joined['is_float']):
            print(name, tally[name], other[name])
print(joined['joined_parts'], joined['joined_against'], joined['file_bytes'], joined['tally']['count'])
END
gsort --join-reports part.*.json in.*.json > joined.json
gsort -m [123].sorted.f32 -o whole.f32 --stats=json > whole.json
python3 compare.py joined.json whole.json
cat part.[3214].json check.json | gsort --join-reports > joined.json
python3 compare.py joined.json whole.json
gsort --join-reports where.*.json in.*.json > joined.json
gsort -m --where '>0' [123].sorted.f32 -o whole.f32 --stats=json > whole.json
python3 compare.py joined.json whole.json
gsort --join-reports joined.json part.*.json -q || echo "exit $?"

# -0 is below 0, in parts as in the whole.
python3 -c 'import struct; open("zeros.f64", "wb").write(struct.pack("<2d", -0.0, 0.0))'
for part in 1 2; do
    gsort -m --part $part/2 zeros.f64 -o some --stats=json > zero.$part.json
done
gsort --stats-only --stats=json zeros.f64 > zeros.json
gsort --join-reports zero.[12].json zeros.json | grep -E '"(min|max)"'

# Records: keys, fields with statistics, and a sum of integers of either sign.
for i in 1 2; do
    gsort-gen -d uniform -t u64 -n 3000 --seed $i | gsort -R 24 -k 0:i32:desc -o $i.rec
    gsort -R 24 --stats-of 0:i32 --stats-of 8:u16 --stats-only --stats=json $i.rec > rec_in.$i.json
done
for part in 1 2 3; do
    gsort -m -R 24 -k 0:i32:desc --stats-of 0:i32 --stats-of 8:u16 --part $part/3 [12].rec -o some --stats=json > rec.$part.json
done
gsort -m -R 24 -k 0:i32:desc --stats-of 0:i32 --stats-of 8:u16 [12].rec -o whole --stats=json > whole.json
gsort --join-reports rec.[123].json rec_in.*.json > joined.json
python3 compare.py joined.json whole.json

# Errors in reports are found.
join() {
    local code=0
    gsort --join-reports "$@" > out || code=$?
    echo "exit $code"
    [ ! -s out ]
}
change() { # FILE MEMBER VALUE: as changed.json
    python3 -c '
import json, sys
report = at = json.load(open(sys.argv[1]))
*path, last = sys.argv[2].split(".")
for name in path:
    at = at[name]
at[last] = json.loads(sys.argv[3])
json.dump(report, open("changed.json", "w"))' "$@"
}
join part.[124].json
join part.[1234].json part.2.json
join part.[1234].json in.1.json in.2.json
join part.[12].json rec.3.json
for change in 'first_key "00000000"' 'tally.count 1499' 'part.first 1501' 'into.offset 6004' 'type "u32"' \
    'tally.fingerprint "00000000000000000000000000000000"' 'tally.min "-9"' 'tally.nan_count 1'; do
    change part.2.json ${change% *} "${change#* }"
    join part.[134].json changed.json in.*.json
done
# Parts of groups are unequal: they follow each other, all there is belongs to them, and no group is in two.
gsort-gen -d few -t u64 -n 3000 --seed 9 -o few.u64
gsort few.u64 -o few.sorted.u64 --stats=json > in.few.json
ends=$(gsort --find "$(gsort --head 2000 few.sorted.u64 | tail -n 1)" few.sorted.u64)
cut() { # NUMBER FIRST COUNT
    gsort -m -u --range $2:$3 few.sorted.u64 -o some --stats=json > few.json
    change few.json part "{\"number\": $1, \"parts\": 2, \"first\": $2, \"of\": 3000, \"is_unequal\": true}"
    mv changed.json few.$1.json
}
for first in ${ends%:*} $((${ends%:*} + 1)); do
    cut 1 0 $first
    cut 2 $first $((3000 - first))
    gsort --join-reports few.[12].json in.few.json > joined.json || echo "exit $?"
done
cut 1 0 7
join few.[12].json
cut 2 7 2900
join few.[12].json

# Parts of something else: other conditions, another slice of the inputs, groups; and a sort that wrote other fields.
gsort -m --part 2/4 --where '>0.5' [123].sorted.f32 -o some --stats=json > where_other.json
join where.[134].json where_other.json
join where.[134].json part.2.json
for part in 1 2; do
    gsort -m --range $((part * 100)):1000 --part $part/2 [123].sorted.f32 -o some --stats=json > range.$part.json
    gsort -m --find=0.. --part $part/2 1.sorted.f32 -o some --stats=json > find.$part.json
done
join range.[12].json
change find.2.json find.first 1
join find.1.json changed.json
cut 2 7 2993
cut 1 0 7
change few.1.json unique_count null
join changed.json few.2.json
gsort -R 24 -k 0:i32:desc --out 0:12,12:12 1.rec -o some --stats=json > out.json
join rec.[123].json out.json

change rec.2.json fields '[]'
join rec.[13].json changed.json
cp "$CASES/../../fuzz/corpus/reports/no_name" nameless
join nameless
gsort -u 1.f32 -o some --stats=json > unique.json
join part.*.json unique.json
join in.1.json
for text in '' '{' '[1,]' '{"a" 1}' '"\x"' '{"schema": 2}' '{"schema": 9223372036854775808}' '{"schema": 1, "type": "u32", "tally": {}}' '{"schema": 3, "type": "u32", "tally": {}}' "$(printf '[%.0s' {1..40})"; do
    printf '%s' "$text" > broken
    join broken
done
join missing
join -t u32 part.1.json
