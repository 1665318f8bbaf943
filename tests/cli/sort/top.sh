# The first K elements are the beginning of a complete sort. This holds for a file, several files and a pipe, in both directions.
# It holds if the K fit in memory, if everything is sorted in memory, and if it is spilled.
gsort-gen --dist uniform --type u64 --count 300000 --seed 3 -o a.u64
gsort-gen --dist reverse --type u64 --count 200001 --seed 4 -o b.u64
for reverse in "" "-r"; do
    gsort -t u64 $reverse a.u64 b.u64 -o all
    for k in $(sized "0 1000 262144 9G" "1000 9G"); do
        case $k in 9G) bytes=4000008 ;; *) bytes=$((k * 8)) ;; esac
        head -c $bytes all >want
        for way in "" "--spill always --chunk 512K --window 64K --batch-size 3" "-S 11M --parallel 1 --io threads"; do
            timeout 60 gsort -t u64 $reverse $way --top $k a.u64 b.u64 -o got || echo "$reverse --top $k $way: exit $?"
            cmp got want || echo "differs: $reverse --top $k $way"
            cat a.u64 b.u64 | timeout 60 gsort -t u64 $reverse $way --top $k | cmp - want ||
                echo "a pipe differs: $reverse --top $k $way"
        done
    done
done
cp a.u64 x
gsort -t u64 x -o x --top 10
gsort -t u64 a.u64 | head -c 80 | cmp - x
gsort -t u64 --top 10 </dev/null -o x
stat -c %s x
# Positions are kept in one reading, too.
gsort -t u64 -r --argsort a.u64 b.u64 -o all
gsort -t u64 -r --argsort --top 1000 -S 11M --parallel 1 a.u64 b.u64 -o got --stats=json | grep -E '"(spilled_bytes|top_room)"'
head -c 8000 all | cmp - got
gsort -t u64 -r --argsort --top 1000 -S 11M --parallel 1 a.u64 b.u64 -o got --explain | grep ^top
# As many as there are numbers, and some more: of bytes from a pipe, a quarter more than 2^64 wraps.
head -c 100000 a.u64 >bytes
for top in 14757395258967641292 14757395258967641293 14757395258967641296 18446744073709551615; do
    gsort -q -t uint8 --chunk 64K --top $top -o got <bytes
    gsort -q -t uint8 bytes -o want
    cmp got want
done
# A merge reads no more than that takes.
gsort -q -t u64 a.u64 -o s.u64
gsort -t u64 -m --top 1000 s.u64 s.u64 -o got --stats 2>&1 | grep ^top | sed 's/of [0-9]*/of N/'
gsort -t u64 -m --top 1G s.u64 -o got --stats 2>&1 | grep ^top | sed 's/[0-9][0-9]*/N/g'
