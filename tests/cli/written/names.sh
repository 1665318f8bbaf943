# The name of an output must agree with its contents, or the job is refused and leaves no files. Contents are counts, positions,
# fields, sums, values, records and other byte orders, in every kind of job. Any name is allowed if an option gives the type, and
# for files in place.
gsort-gen -d few -t u64 -n 512 -o w.u64
gsort-gen -d uniform -t f64 -n 512 -o x.f64
gsort-gen -d uniform -t u32 -n 1024 -o legacy.dat
gsort -t u64 w.u64 -o s.u64
gsort -q -t u64be w.u64 -o be.dat
cp w.u64 1.u32
lies=0 truths=0
lie() { # OUTPUT OPTION...
    local code=0
    gsort -q "${@:2}" -o "$1" 2>err || code=$?
    [ "$code $(wc -l <err)" = "2 1" ] || { echo "$*: exit $code" && cat err; }
    grep -q "$1.*: this name says .*; choose another name" err || cat err
    [ ! -e "$1" ] || echo "$*: there is an output"
    lies=$((lies + 1))
}
true_() { # OUTPUT OPTION...
    gsort -q "${@:2}" -o "$1" || echo "$*: exit $?"
    rm -f "$1"
    truths=$((truths + 1))
}
lie trap.i32 --range 128: -t i32be legacy.dat
true_ out.i32be --range 128: -t i32be legacy.dat
lie counts.u64 -u --count w.u64
lie counts.u128 -u --count w.u64
lie counts.u64 -u --count be.dat
true_ counts -u --count w.u64
lie rows.f64 --argsort x.f64
lie rows.u32 --argsort x.f64
lie rows.u64 --argsort=u32 x.f64
lie rows.u64be --argsort x.f64
true_ rows.u64 --argsort x.f64
true_ rows.i64 --argsort x.f64
true_ rows.u32 --argsort=u32 x.f64
lie ids.u64 -R 16 -k 0:u64 --out 0:4 w.u64
lie ids.u64 -R 16 -k 0:u64 --out 0:8,8:8 w.u64
lie ids.u64 -R 16 -k 0:u64 --out 0:8 -u --count w.u64
true_ ids.u64 -R 16 -k 0:u64 --out 0:8 w.u64
lie sums.u64 -R 8 -k 0:u32 -u --sum 4:u32 --sum-wide w.u64
true_ sums.u64 -R 8 -k 0:u32 -u --sum 4:f32 w.u64
lie sorted.f64 -R 16 -k 0:u64 w.u64
lie sorted.u64 -R 100 -k 0:b10 --drop-tail legacy.dat
true_ sorted.u64 -R 16 -k 8:u64 w.u64
true_ sorted.u64 -R 8 -k 0:i64 legacy.dat
lie sorted.u64 -R 8 -k 0:u64be legacy.dat
lie sorted.u64 -R 8 -k 0:u32 legacy.dat
lie shard.%d.u64 --split 4 -t u64be be.dat
lie shard.%d.u64 --split-at 5 -R 24 -k 0:u64 --drop-tail legacy.dat
lie both.u64 -m -t u64be be.dat
lie both.u64 -m -t u32 legacy.dat
lie both.u64be -m -t u64 s.u64
for way in --merge=union --merge=intersect; do
    lie both.u64be $way -t u64 s.u64 s.u64
    true_ both.u64 $way -t u64 s.u64 s.u64
done
lie packed.f32.zst -t u64 w.u64
lie plan.u64 --explain -t u16 legacy.dat
# An array keeps its header, which a name of plain numbers does not promise.
gsort -q w.u64 -o n.npy
gsort n.npy -o sorted.npy
for how in "" "--top 5" --argsort --explain -u "--where >5"; do
    # shellcheck disable=SC2086
    lie raw.u64 $how n.npy
    # shellcheck disable=SC2086
    case $how in -u | --where*) ;; *) lie books_uint64.zst $how n.npy ;; esac
done
lie raw.u64 -m sorted.npy n.npy
lie part.%d.u64 --split 4 n.npy
true_ raw.u64 --drop-header n.npy
true_ raw.npy n.npy
true_ raw n.npy
true_ raw.u64.npy n.npy
cp n.npy n.u64
true_ raw.u64 n.u64
gsort n.u64 -o n.u64
# Said by an option: another type of the width, or of an input's name.
true_ out.u64 -t i64 w.u64
true_ out.u64 -t u64be w.u64
true_ out.i64 -t f64 legacy.dat
true_ out.u64 -t u32 w.u64
true_ out.uint8 -t int8 legacy.dat
# Values.
true_ keys.u64 w.u64 --values x.f64:8=x.sorted.f64
true_ keys.u64 w.u64 --values legacy.dat:8=x.sorted.i64
for value in x.f64:8=made.u64 legacy.dat:8=made.u32 x.f64:8=made.f64be; do
    code=0
    gsort -q w.u64 -o keys.u64 --values $value 2>err || code=$?
    [ $code = 2 ] && grep -q "this name says .*, but the values have 8 bytes, from " err || { echo "$value: exit $code" && cat err; }
    [ ! -e keys.u64 ] && [ ! -e "${value#*=}" ] || echo "$value: there is an output"
done
# Values are written as they are, whatever the name promises.
for name in made.npy made.u64.zst; do
    gsort -q w.u64 -o keys.u64 --values legacy.dat:8=$name 2>err && echo "$name: is written"
    grep -q "its name ends in .*, but values are written without header or compression" err || cat err
    gsort -q w.u64 -o keys.u64 --values legacy.dat:8=$name --raw
    rm keys.u64 $name
done
# In place.
cp w.u64 p.u64
gsort -q -t f64 p.u64 -o p.u64
gsort -R 16 -k 0:u64 p.u64 -o p.u64
gsort -q -t u32be 1.u32 -o 1.u32
gsort -q --stats-only -t u32 w.u64 >report
echo "$lies lies, $truths truths"
