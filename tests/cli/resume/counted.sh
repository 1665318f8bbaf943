# Numbers of one byte are counted with --resume, too: a kill while the output is written costs no reading of the input.
gsort-gen --dist zipf --type u32 --size 6M -o x
for type in uint8 int16; do
    gsort x -t "$type" -o want
    rm -rf dir out
    { GSORT_FAULTS=write:60=9 gsort-faults x -t "$type" -o out --resume dir -S 12M --window 64K >/dev/null 2>&1 || :; } 2>/dev/null
    python3 "$CASES/../manifest.py" dir/manifest >entries
    echo "$type: COUNTS $(grep -c COUNTS entries), RUN $(grep -c RUN entries)"
    gsort x -t "$type" -o out --resume dir -S 12M --window 64K --stats=json >report
    python3 -c "import json; r = json.load(open('report')); print(r['resumed_bytes'], r['bytes_read'] < 100000)"
    cmp out want
done
