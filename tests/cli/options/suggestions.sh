# Options of other programs are refused, and the message names the right option, never an old spelling.
gsort --help=all >help
: >x.u32
# answer ARGUMENT...: the line that refuses it, in `said`; it names only options that --help=all has.
answer() {
    local code=0 named
    said=$(gsort "$@" x.u32 2>&1 >stdout </dev/null) || code=$?
    [ $code -eq 2 ] && [ ! -s stdout ] && [ "$(wc -l <<<"$said")" -eq 1 ] || echo "$*: exit $code: $said"
    said=${said#gsort: }
    for named in $(sed "s/'[^']*'//" <<<"$said" | sed "s/gsort-gen --seed//" | grep -oE -- '(^|[ :|])--?[A-Za-z][a-z0-9-]*' | tr -d ' :|'); do
        grep -qE -- "^ .* ?$named([],= [(]|$)" help || echo "$*: names $named, which help does not: $said"
    done
}
# Each word, and what has to be in the answer.
while IFS='|' read -r word wanted; do
    answer "$word"
    [[ $said == *"unknown option; "*"$wanted"* ]] || echo "$word: not $wanted: $said"
done <<'E'
--skip=5|--range=
--limit=5|--top=
--rows=5|--head=
--lines=5|--top=
--median|--quantiles=median
--percentiles=95|--quantiles=
--mean|--variance
--average|--variance
--stddev|--variance
--dedup|-u writes
--dedupe|-u writes
--drop-duplicates|-u writes
--group-by=x|-u groups equal keys
--groupby=x|-u groups equal keys
--dry-run|--explain
--plan|--explain
--workers=3|--parallel=
--cores=3|--parallel=
--num-threads=3|--parallel=
--ram=1G|-S SIZE
--max-memory=1G|-S SIZE
--memory-limit=1G|-S SIZE
--tmpdir=/tmp|-T DIR
--tmp=/tmp|-T DIR
--tmp-dir=/tmp|-T DIR
--temp-dir=/tmp|-T DIR
--scratch=/tmp|-T DIR
--seed=5|--shuffle=SEED
--desc|-r
--descending|-r
--ascending|omit it
--by=x|-k OFF:TYPE
--sort-by=x|-k OFF:TYPE
--column=3|-k OFF:TYPE
--columns=3|--out=
--delimiter=,|no separators
--dtype=f4|-t TYPE
--filter=x|--where=
--offset=10|--region=
--endian=big|-t u32be
--big-endian|-t u32be
--gpu|--device=cuda
--cuda|--device=cuda
--bins=10|--histogram=
--in-place|-o FILE may be the input
--force|omit it
--overwrite|omit it
--outfile=x|-o FILE
--input=x|gsort FILE -o OUT
--compression=zstd|--zstd
--silent|-q
--frobnicate|see --help
--set=u|see --help
--man|see --help
--load|see --help
E
# Every word of the table is refused with a line that names only what there is.
words=$(sed -nE "s/^    \{(0|'.'), \"([^\"]+)\",.*/\2/p" "$CASES/../../../tools/gsort/sort_habits.c")
[ "$(wc -w <<<"$words")" -gt 100 ] || echo "no table"
for word in $words; do
    answer "--$word"
    [[ $said == *"; see --help" ]] && echo "--$word: $said"
done
# Letters and words that are ambiguous, or too short beside an old spelling.
for word in --c --ch --chec --j --js --st --sta --stab --te --t --th --p; do
    code=0
    said=$(gsort "$word" x.u32 2>&1 >stdout </dev/null) || code=$?
    grep -E -- '--(json|check-quiet|threads|temp|sum-wide|stable)( |$)' <<<"$said" && echo "  for $word"
done
# sort(1)'s stable sort is what there is.
printf 'b2a1b1a2' >r
for word in -s --stable -sq; do
    gsort -R 2 -k 0:b1 "$word" r && echo "  $word"
done
gsort -s --ties=bytes -R 2 -k 0:b1 r 2>&1 || echo "exit $?"
gsort -s --stable x.u32 2>&1 || echo "exit $?"
# Letters with an optional argument accept it after '='.
gsort -h=all | cmp - help
gsort -h=markdown | head -1
gsort -h=what 2>&1 || echo "exit $?"
gsort -c=quiet -t uint8 r || echo "exit $?"
gsort -q -m=union -t uint8 - </dev/null
gsort -c=loud r 2>&1 || echo "exit $?"
gsort -q -t uint8 -o -h=all r
gsort -q -t uint8 --output -m=union r
ls
rm ./-*
# Percentiles and types.
for p in 95 p50 50% 99.9 p99.9% 100 p100 5 1.5 101 0.5% P7 -5 p 95%%; do gsort --stats-only --quantiles=$p x.u32 2>&1 || :; done
for t in flaot unit64 uint46 doulbe flot32 tme64 fload f46 uint u128bbe; do gsort -t $t x.u32 2>&1 | sed 's/; types are .*//'; done
for t in flaot unit64 uint3; do gsort -R 8 -k 0:$t x.u32 2>&1 | sed 's/; types are .*//'; done
