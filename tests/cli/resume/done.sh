# Killed between the last entry on record and the end: the output is there already, or is put there.
gsort-gen --dist uniform --type u64 --size 1M -o x
gsort x -o want
for n in $(seq 1 12); do
    cp x y
    { GSORT_FAULTS=place:$n=9 gsort-faults y -o y --resume dir -S 12M --chunk 64K >report 2>&1 || :; } 2>kill
    cmp -s y x || cmp -s y want || echo "place:$n: the file is neither the old one nor the new one"
    gsort y -o y --resume dir -S 12M --chunk 64K --stats=json >report || { echo "place:$n"; cat report; ls -la dir; }
    cmp y want
    grep -q '"count": 131072' report || echo "place:$n: the tally is not whole"
    [ ! -e dir ] || { echo "place:$n: left behind:"; ls -la dir; }
done
