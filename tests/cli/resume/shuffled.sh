# A shuffle continues with the seed in its journal, which may have been drawn, and only with that one.
gsort-gen --dist uniform --type u64 --size 8M -o x.u64
more="-S 12M --chunk 256K"

# begun CALL [SEED]: begins a shuffle that is killed at this call.
begun() {
    rm -rf dir out
    { GSORT_FAULTS=$1=9 gsort-faults x.u64 "--shuffle${2:+=$2}" -o out --resume dir $more >/dev/null 2>&1 || :; } 2>/dev/null
    python3 "$CASES/../manifest.py" dir/manifest >entries
}
# writing [SEED]: begins a shuffle that is killed while it writes. How many runs it merges first is its plan's choice.
writing() {
    for n in $(seq 132 2 200); do
        begun "sync:$n" "$@"
        if [ "$(grep -c WRITTEN entries)" -ge 2 ]; then return; fi
    done
}
for state in "begun sync:40" writing "begun place:9"; do # the last one has only to put the output in its place
    $state
    gsort x.u64 --shuffle -o out --resume dir $more --verify=read --stats=json >report
    seed=$(sed -n 's/^ *"shuffle_seed": \([0-9]*\),/\1/p' report)
    gsort x.u64 --shuffle="$seed" | cmp - out
    python3 - <<'END'
import json
r = json.load(open('report'))
print('input', r['resumed_bytes'] > 0, 'output', r['resumed_output_bytes'] > 0, 'output', r['output_bytes'])
END
done

echo "-- the report"
gsort x.u64 -o /dev/null --stats=json >sorted
python3 - <<'END'
import json
print(json.load(open('report'))['tally'] == json.load(open('sorted'))['tally'])
END

echo "-- another command"
try() {
    gsort x.u64 "$@" -o out --resume dir $more 2>&1 || echo "exit $?"
}
begun sync:40 5
try --shuffle=6
try --shuffle
try
try --shuffle=5
gsort x.u64 --shuffle=5 | cmp - out
begun sync:40
try --shuffle=5
rm -rf dir out
{ GSORT_FAULTS=sync:40=9 gsort-faults x.u64 -o out --resume dir $more >/dev/null 2>&1 || :; } 2>/dev/null
try --shuffle

echo "-- an output that was damaged"
writing 5
printf 'other' | dd of=dir/output bs=1 seek=$(($(tail -n 1 entries | cut -d ' ' -f 3) - 8)) conv=notrunc status=none
try --shuffle=5
[ ! -e dir ] || ls dir

echo "-- what cannot be saved"
for options in --argsort "-R 8 --out 0:4" "-R 8 --where 0:u64>4" "--values x.u64:8=v" "--split 2"; do
    # shellcheck disable=SC2086
    gsort $options x.u64 --shuffle=5 -o out --resume dir 2>&1 || echo "exit $?"
done
gsort --sample 5 x.u64 -o out --resume dir 2>&1 || echo "exit $?"
