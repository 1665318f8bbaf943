# --help names every option once, under its heading; -h those of every day, on one screen, and nothing else.
gsort --help=all >help
for option in output files0-from zstd raw header type record key reverse unique count top merge check print memory \
    temporary-directory resume parallel batch-size device device-memory device-model io chunk window tune spill compress stats stats-only \
    stats-of head tail verify explain progress quiet verbose help version; do
    [ "$(grep -cE -- "^  (-., |    )--$option([=[]| |$)" help)" -eq 1 ] || echo "--$option is not there once"
done
grep -E '^[A-Z][a-z ]*$' help
# Types are those that there are, in the manual, too, and in the generator all but f16.
: >x
types=$({ gsort -t f65 x 2>&1 || :; } | sed 's/.*there are \(.*\), each .*/\1/')
tr -s ' \n' '  ' <help | grep -qF "Types: $types. " || echo "--help has not the types $types"
gsort --help=markdown | tr -d '`' | grep -qF "Types: $types. " || echo "the manual has not the types $types"
gsort-gen --help | tr -s ' \n' '  ' | grep -qF "${types/ f16/}" || echo "the generator has not the types ${types/ f16/}"
# What tunes stands apart; old spellings are nowhere.
{ gsort --help && gsort --help=tuning; } | grep -E '^  (-., |    )--' | sort | cmp - <(grep -E '^  (-., |    )--' help | sort)
gsort --help | grep -E -- '--(chunk|window|io|batch-size|parallel)[= ]' || :
[ "$(gsort --help | grep -cE '^  (-., |    )--')" -le 66 ] || echo "more than 66 options"
# Texts have 80 words at most; links and code are for the manual only.
awk '/^### / { name = $2; words = 0 } name != "" && !/^[#-]/ { words += NF }
    words > 80 { print name ": its text has more than 80 words"; words = -1000 }' "$CASES/../../../src/option/options.md"
grep -E '`|\]\(' help || :
grep -E -- '--(json|check-quiet|threads|temp)([= ]|$)' help || :
gsort -h >daily
[ "$(wc -l <daily)" -le 24 ] || echo "-h is longer than a screen: $(wc -l <daily) lines"
[ "$(wc -L <daily)" -le 80 ] || echo "-h is wider than a screen: $(wc -L <daily) columns"
[ "$(grep -c '^  gsort ' daily)" -eq 3 ] || echo "-h has not three examples"
grep -oE -- '--[a-z-]+[a-z]' daily | sort -u >in_daily
grep -oE -- '--[a-z0-9-]+' help | sort -u >in_help
comm -23 in_daily in_help
gsort -hr >both
cmp daily both
gsort -h --help | cmp - daily
