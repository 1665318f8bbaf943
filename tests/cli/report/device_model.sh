# --explain --device-model: a plan for GPUs that FILE describes, and how long they would take; nothing is read.
truncate -s 64G x.u64
model() { # MEMBERS: of two H200 and these
    printf '{"name": "H200", "gpus": 2, "memory": "139G", "to_gpu": 110.4e9, "from_gpu": 110.4e9, "peer": 369e9%s}' "$1"
}
explain() { # ARGUMENT...: the model is standard input
    gsort --explain --device-model - --parallel 2 -S 256M "$@"
}
lines() {
    grep -E '^(device|held|time) '
}
model ', "start_seconds": 0.11' | explain x.u64 -o /dev/null | lines
model ', "input": 43000000000, "output": "1G"' | explain x.u64 -o /dev/null | lines
model '' | explain -R 64 -k 0:u64 x.u64 -o /dev/null | lines
model ', "sort": "1G"' | explain --top 8G x.u64 -o /dev/null | lines
model '' | explain --device-memory 20G x.u64 -o /dev/null | lines
model '' | explain -m x.u64 -o /dev/null | lines
model '' | explain --resume kept x.u64 -o out | lines
model '' | sed 's/"gpus": 2/"gpus": 1/; s/, "peer": 369e9//' | explain x.u64 -o /dev/null | lines
model '' | explain --stats=json x.u64 -o /dev/null | python3 -c "
import json, sys
plan = json.load(sys.stdin)
print(plan['device_name'], plan['plan']['device_count'], plan['prediction'])"
gsort --explain --stats=json x.u64 -o /dev/null --device cpu | python3 -c "
import json, sys
print(json.load(sys.stdin)['prediction'])"

# Invalid models: MODEL | LINE (a pattern).
count=0
while IFS='|' read -r text line; do
    code=0
    printf '%s' "$text" | explain x.u64 -o out >stdout 2>err || code=$?
    got=$(cat err)
    # shellcheck disable=SC2053
    [ $code -eq 2 ] && [[ $got == "gsort: "${line# } ]] && [ ! -s stdout ] || { echo "$text: exit $code:" && cat err; }
    count=$((count + 1))
done <<'E'
| 'standard input': not valid JSON: *
{| 'standard input': not valid JSON: *
[]| --device-model: '-': is not a single JSON object
{} {}| --device-model: '-': is not a single JSON object
{}| --device-model: '-': has no members
{"gpus": 1}| --device-model: memory: 0 is not a number from 1 *
{"gpus": 1, "memory": 1e9, "to_gpu": 1}| --device-model: from_gpu: 0 is not a number from 1 *
{"gpus": 2, "memory": 1e9, "to_gpu": 1, "from_gpu": 1}| --device-model: peer: 0 is not a number from 1 *
{"gpus": 1.5}| --device-model: 'gpus=1.5': gpus is not a whole number; see '-'
{"gpus": -1}| --device-model: 'gpus=-1': gpus is not a whole number; see '-'
{"gpus": 4294967296}| --device-model: 'gpus=4294967296': gpus is not a whole number; see '-'
{"gpus": 1, "gpus": 1}| 'standard input': not valid JSON: *
{"memory": "much"}| --device-model: 'memory=much': memory is not a whole number of bytes, or a size like 139G; see '-'
{"memory": 1e300}| --device-model: 'memory=1*e300': memory is not a whole number of bytes, or a size like 139G; see '-'
{"to_gpu": null}| --device-model: '-': to_gpu is neither a number nor a string
{"start_seconds": "1G"}| --device-model: 'start_seconds=1G': start_seconds is not a number; see '-'
{"name": "a\nb"}| --device-model: 'name=a?b': name is not a name of at most 47 printable bytes; see '-'
{"name": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}| --device-model: 'name=*': name is not a name of at most 47 printable bytes; see '-'
{"link": 5}| --device-model: 'link=5': a device model has no member 'link'; see '-'
{"gpus": 0, "memory": 1e9, "to_gpu": 1, "from_gpu": 1}| --device-model: gpus: 0 is not a number from 1 to 16
{"gpus": 17, "memory": 1e9, "to_gpu": 1, "from_gpu": 1, "peer": 1}| --device-model: gpus: 17 is not a number from 1 to 16
{"gpus": 1, "memory": 1e19, "to_gpu": 1, "from_gpu": 1}| --device-model: 'memory=1*e*19': memory is not a whole number of bytes, *
{"gpus": 1, "memory": 1e9, "to_gpu": 1e300, "from_gpu": 1}| --device-model: to_gpu: 1e+300 is not a number from 1 to 1e+18
{"gpus": 1, "memory": 1e9, "to_gpu": 0, "from_gpu": 1}| --device-model: to_gpu: 0 is not a number from 1 to 1e+18
E
echo "$count models"
model '' >model
for arguments in "" "--stats-only" "--explain --device cuda:0" "--explain --device cuda:all" "--head 1" \
    "--explain --device-model model"; do
    gsort $arguments --device-model model x.u64 2>&1 || echo "exit $?"
done
gsort --explain --device-model nowhere x.u64 2>&1 || echo "exit $?"
[ ! -e out ]
