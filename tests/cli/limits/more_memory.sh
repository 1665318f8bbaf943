# More memory than there is: all that is available is used, and a note says how much; up to 100% no note does.
gsort-gen --dist uniform --type u64 --count 1000 -o x
gsort -t u64 x -o want
for size in 150% 100.5% 1000000% 100T 15E 100%; do
    echo "-- $size"
    gsort -t u64 x -o out -S $size || echo "exit $?"
    cmp out want
    gsort -q -t u64 x --explain -S $size >plan
done 2>&1
