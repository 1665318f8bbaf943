# --help=all names every option once, under its heading; -h those of every day, on one screen; --help and its topics the rest.
gsort --help=all >help
for option in output files0-from zstd raw header type record key reverse unique count top merge check print memory \
    temporary-directory resume parallel batch-size device device-memory device-model io chunk window tune spill compress stats stats-only \
    stats-of head tail verify explain progress quiet verbose help version; do
    [ "$(grep -cE -- "^  (-., |    )--$option([=[]| |$)" help)" -eq 1 ] || echo "--$option is not there once"
done
grep -E '^[A-Z][a-z ]*$' help
# Types are those that there are, in the manual, too, and in the generator all but f16.
: >x
types=$({ gsort -t f65 x 2>&1 || :; } | sed 's/.*types are \(.*\); append .*/\1/')
tr -s ' \n' '  ' <help | grep -qF "Types: $types. " || echo "--help has not the types $types"
gsort --help=markdown | tr -d '`' | grep -qF "Types: $types. " || echo "the manual has not the types $types"
gsort-gen --help | tr -s ' \n' '  ' | grep -qF "${types/ f16/}" || echo "the generator has not the types ${types/ f16/}"
# --help takes the topics of options.md, and names them. Each option has one, old spellings have none.
names_of() { sed -nE 's/^  (-., |    )--([a-z0-9-]+).*/\2/p' "$1"; }
texts=$CASES/../../../src/option/options.md
topics=$(sed -n '/^## Topics/,/^## What/s/^| \([a-z]*\) | .*/\1/p' "$texts" | grep -vx topic)
gsort --help=frob 2>&1 | grep -qF "is not one of: $(echo $topics)" || echo "--help does not take the words: $(echo $topics)"
gsort --help >everyday
gsort --help=everyday | cmp - everyday
[ "$(wc -l <everyday)" -le 60 ] || echo "--help has $(wc -l <everyday) lines"
: >in_topics
for topic in $(echo $topics | sed 's/ all / /; s/ markdown$//'); do
    gsort --help="$topic" >shown
    [ "$(wc -L <shown)" -le 80 ] || echo "--help=$topic is wider than a screen"
    names_of shown >>in_topics
    [ "$topic" = everyday ] || grep -qE "^  $topic +[A-Za-z]" everyday || echo "--help does not name $topic"
done
names_of help >names
sort -u in_topics | diff <(sort names) -
# Texts have the order of the table, and 80 words at most; links and code are for the manual only.
awk '/^### / { name = $2 } /^- topics: / && $3 != "none" { print name }' "$texts" | diff names -
awk '/^### / { name = $2; words = 0 } name != "" && !/^[#-]/ { words += NF }
    words > 80 { print name ": its text has more than 80 words"; words = -1000 }' "$texts"
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
