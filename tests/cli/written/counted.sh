# The report of a sort that writes something else than it reads is of what was read: count, fingerprint and fields.
gsort-gen -d uniform -t u64 -n 30000 --seed 3 -o x
told() { # what the report says of what was read
    gsort -R 24 -k 0:u32 --stats-of 8:i16 --stats-of 12:i32 x "$@" --stats=json | python3 -c 'import json, sys; report = json.load(sys.stdin); print(report["tally"], report["fields"], report["left_out_count"])'
}
for where in "" "--where 4:u32>1000000000"; do
    told -o plain $where > want
    [ -s want ]
    for written in '--out 0:4,12:2' '--out 23:1' '--out 0:24' '--out 0:4,12:2 --top 10' '--out 8:4 -S 10M --spill always --chunk 64K' \
        '--argsort' '--top 10'; do
        told -o out $written $where | diff want - || echo "$written"
    done
done
told -o plain --values x:24=v > want
told --stats-only | cmp - want
told -o plain -u --max 4:u32 > want
told -o plain -u --max 4:u32 --out 0:4,4:4 | cmp - want
