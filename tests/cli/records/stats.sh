# Aggregates of fields, as Python counts them; with the sort, alone and in JSON. Without a number among the keys there
# are none.
model="python3 $CASES/model.py"
$model make 5000 40 7 in
for field in 0:uint8 1:int8 2:u16be 3:i16 5:u32 9:i32be 1:u64be 8:i64 3:i128 16:u128be 8:i128be; do
    read -r count min max sum <<<"$($model stats 40 in "$field")"
    gsort -R 40 --stats-only --stats-of "$field" in >report
    printf '%s\n' "elements  $count" "field     $field" "min       $min" "max       $max" "sum       $sum" >want
    grep -E '^(elements|field|min|max|sum)' report | diff want - || echo "differs: $field"
done
gsort -R 40 -k 0:b2 -k 5:u32 -k 8:i64 in -o out --stats 2>report
read -r count min max sum <<<"$($model stats 40 in 5:u32)"
grep -E '^(type|field|min|max|sum)' report | sed "s/ $min\$/ MIN/; s/ $max\$/ MAX/; s/ $sum\$/ SUM/"
gsort -R 40 --stats-only --stats=json --stats-of 0:f64 --stats-of 8:u32 in |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["type"], len(r["keys"]), *(x for f in r["fields"] for x in (f["field"], f["count"])), *sorted(r["tally"]))'
gsort -R 40 --stats-only in | sed -n '1,3p; /min/p; /sum/p'
cmp <(gsort -R 40 --stats-only --stats=json in | grep fingerprint) <(gsort -R 40 --stats-only --stats=json out | grep fingerprint)
