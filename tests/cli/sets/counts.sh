# A report of a merge with -u says how many elements would be written, and how many stay of all.
printf '%b' '\0' '\1' '\1' '\2' '\3' >a.u8
printf '%b' '\1' '\1' '\1' '\4' >b.u8
for how in --merge --merge=union --merge=intersect --merge=anti --merge=xor; do
    gsort -t uint8 $how -u --stats-only a.u8 b.u8 | grep -E '^(elements|set|unique)'
    gsort -t uint8 $how -u --stats-only --stats=json a.u8 b.u8 | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["unique_count"], report["tally"]["count"])'
    gsort -t uint8 $how -u a.u8 b.u8 | wc -c
done
