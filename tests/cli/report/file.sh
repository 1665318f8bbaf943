# --stats=json:FILE: the report, in a file that is there whole or not at all, and nothing of it anywhere else; never over what the
# job reads or writes.
gsort-gen --dist uniform --type u64 --count 5000 --seed 3 -o x.u64
gsort x.u64 -o s.u64
head -c 800 s.u64 >t.u64
cp x.u64 kept.u64
cp s.u64 kept_s.u64
# Which verb and whatever else: standard output and error are what they are without a report.
json() { # CODE ARGUMENTS
    local code=0 want=$1
    shift
    rm -rf r out out.1 out.2 into
    gsort -q "$@" --stats=json:r >stdout 2>err || code=$?
    [ "$code" = "$want" ] && python3 -c 'import json; assert json.load(open("r"))["schema"] == 2' && ! grep -q '{' err ||
        { echo "gsort $*: exit $code:" && cat err; }
}
for way in '-o out' '-r --top 3 -o out' '-u -o out' '-m -o out' '-m --part 1/2 --into into' '--split 2 -o out.%d' '-o /dev/null' \
    -c -C --stats-only '-m --stats-only' '--stats-only --quantiles=0.5' '--explain -o out' '--find ..5 -o out'; do
    # shellcheck disable=SC2086
    json 0 s.u64 $way
    [ ! -s stdout ] && [ ! -s err ] || echo "$way: more than the report"
done
json 0 s.u64
cmp stdout s.u64
json 0 --merge=intersect s.u64 t.u64
cmp stdout t.u64
json 0 --top 2 x.u64 --print
[ "$(wc -l <stdout)" = 2 ] || echo "--print: not two lines"
json 1 -c x.u64
grep -q '"disorder": {' r
grep -c 'out of order' err
json 1 -C x.u64
[ ! -s err ]
gsort -q --stats=text:r x.u64 -o out
grep -cE '^(elements|sum) ' r
gsort --explain --stats=text:r x.u64 -o out
grep -c '^memory ' r
# A dash is the usual place.
gsort --stats=json:- x.u64 -o out | python3 -c 'import json, sys; assert json.load(sys.stdin)["tally"]["count"] == 5000'
# Where JSON goes to standard error no progress is drawn into it.
gsort x.u64 --stats=json --progress=always >out 2>err && cat err
grep -c -- '--progress=always cannot be used with --stats=json on standard error' err
gsort x.u64 --stats=json:r --progress=always >out 2>err
# Refused, before anything is done.
refuse() {
    local code=0
    rm -f out
    gsort "$@" >stdout 2>err || code=$?
    [ "$code" = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s stdout ] && [ ! -e out ] || { echo "gsort $*: exit $code:" && cat err; }
    cut -d';' -f1 err
}
mkdir d
ln s.u64 hard
ln -s s.u64 soft
head -c 40000 /dev/zero >v
refuse --stats=json: x.u64 -o out
refuse --stats=none:r x.u64 -o out
refuse --stats=xml:r x.u64 -o out
refuse --stats=json:x.u64 x.u64 -o out
refuse --stats=json:d/../hard x.u64 soft -o out
refuse --stats=json:./out x.u64 -o out
refuse --stats=json:s.u64 x.u64 -o soft
refuse --stats=json:into -m s.u64 --into d/../into
refuse --stats=json:out.2 --split 2 x.u64 -o ./out.%d
mkdir 'per%cent'
refuse --stats=json:'x%d.2' --split 2 x.u64 -o 'x%%d.%d'
refuse --stats=json:'per%cent/out.2%' --split 2 x.u64 -o 'per%%cent/out.%d%%'
rmdir 'per%cent'
refuse --stats=json:v --values v:8=out x.u64 -o w.u64
refuse --stats=json:out --values v:8=d/../out x.u64 -o w.u64
refuse --stats=json:x.u64 -t u64 -o out <x.u64
refuse --stats=json:x.u64 -t u64 - -o out <x.u64
printf 'x.u64\0' >names
refuse --stats=json:names --files0-from names -o out
refuse --stats=json:names --files0-from - -o out <names
gsort s.u64 --stats=json:stream 2>err >stream || cut -d';' -f1 err
[ ! -s stream ]
refuse --find 3 s.u64 --stats=json:r
refuse --head 3 s.u64 --stats=json:r
cmp x.u64 kept.u64
cmp s.u64 kept_s.u64
# Nothing is written of a job that failed, and none begins whose report cannot be written.
echo before >r
gsort -m x.u64 -o out --stats=json:r 2>/dev/null || cat r
gsort x.u64 -o out --stats=json:no/r || [ ! -e out ]
gsort x.u64 -o out --stats=json:d || [ ! -e out ]
gsort x.u64 -o out --stats=json:/dev/full || echo "exit $?"
# Nor where links lead to what is written, be it there or not.
rm -f rep r out out.*
for pair in "rep:out:-o out" "lo:new:-o lo" "rep:out.2:-o out.%d --split 2" "out.2:rep:-o out.%d --split 2"; do
    IFS=: read -r link target way <<<"$pair"
    ln -s "$target" "$link"
    for report in "$link" "$target"; do
        [ "$report" != "$link" ] || [[ "$way" != *"$link"* ]] || continue
        # shellcheck disable=SC2086
        gsort -q x.u64 $way --stats=json:"$report" 2>err && echo "$pair, $report: written over"
        grep -q "is also written by this command" err || cat err
    done
    rm "$link"
done
! ls out* new 2>err || echo "something is written"
