# Notes never stand inside JSON: where a report goes to standard error they are in it, and so is the plan; else they are said, too.
printf '\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >plain
printf '\1' | cat plain - >odd
notes() {
    python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["notes"] or ["none"], sep="\n")' "$1"
}
for way in '' -v --print '-o -' '-o /dev/stdout' '-R 8 -k 0:u32'; do
    # shellcheck disable=SC2086
    gsort plain $way --stats=json >data 2>err
    notes err
done
gsort --drop-tail -q odd --stats=json >data 2>err
notes err
# JSON that goes to standard output, or to a file.
gsort --drop-tail odd -o out --stats=json >json
notes json
gsort plain --stats=json:json >data
notes json
gsort plain -v --stats=json:json 2>&1 >data | grep -c '^memory '
# There is no report of what fails.
gsort -m plain --stats=json >data || echo "exit $?"
gsort -q -m plain --stats=json >data || echo "exit $?"
