# --explain --stats=json: the plan as one JSON object, for every verb that has one; nothing is written.
gsort-gen -d uniform -n 1000 -o x.u64
for verb in "" "-m" "--top 10" "--spill always" "-u" "--device cpu"; do
    gsort --explain --stats=json $verb x.u64 -o out >plan.json
    python3 -c "
import json
plan = json.load(open('plan.json'))
print(plan['schema'], plan['type'], plan['plan']['input_bytes'], len(plan['spaces']), plan['has_room'])"
    [ ! -e out ]
done
gsort --explain --stats=json -t f32 <x.u64 | python3 -c "
import json, sys
plan = json.load(sys.stdin)
print(plan['type'], plan['plan']['input_bytes'])"
gsort --explain --stats=text x.u64 -o out | head -1
