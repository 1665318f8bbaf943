# Files that a split takes the places of may be what it sorts: killed or refused at any link or rename, all elements are somewhere.
for i in 1 2; do gsort-gen --type u64 --dist uniform --count 1000 --seed $i -o in.$i; done
gsort -q -u -t u64 in.1 in.2 -o want
kept=0 killed=0
for how in =9 "" +; do
    for n in $(seq 16); do
        cp in.1 p.1
        cp in.2 p.2
        code=0
        { GSORT_FAULTS=place:$n$how gsort-faults -t u64 p.1 p.2 -o p.%d --split 2 2>message || code=$?; } 2>kill
        find . -name 'p.*' -o -name '.p.*' | xargs cat | gsort -q -u -t u64 | cmp - want
        if [ "$how" = =9 ]; then
            ! ls .p.* >left 2>&1 || killed=1
        elif grep -q 'the others are named .NAME.gsort-' message; then
            kept=1
        elif [ $code != 0 ]; then
            cmp p.1 in.1
            cmp p.2 in.2
            ! ls .p.* 2>left || cat message
        fi
        rm -f p.* .p.*
    done
done
echo $kept $killed
