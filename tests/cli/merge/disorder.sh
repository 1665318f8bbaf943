# A file that is not sorted: which one, where, exit 2; the output is as it was.
for i in 1 2 3; do gsort-gen --dist uniform --type u64 --count 200000 --seed $i | gsort -t u64 >s$i.u64; done
gsort-gen --dist reverse --type u64 --count 3 -o r.u64
cat s2.u64 s1.u64 >twice.u64
cat s1.u64 r.u64 >end.u64
printf old >out
for inputs in "s1.u64 r.u64 s3.u64" "twice.u64 s3.u64" "s1.u64 s2.u64 end.u64" "-r s1.u64" "-R 8 -k 7:uint8 s1.u64 twice.u64"; do
    for way in "" "-S 16M --batch-size 2 --window 64K --io threads"; do
        code=0
        timeout 60 gsort -m $inputs -o out $way || code=$?
        [ $code -eq 2 ] || echo "$inputs $way: exit $code"
        [ "$(cat out)" = old ] || echo "$inputs $way: the output changed"
    done
done
# Lists that a command line splits at commas are one in the command that is advised, too.
code=0
gsort --merge=union s1.u64 r.u64 --split-at 3,5 -o 'y%d.u64' || code=$?
[ $code -eq 2 ] || echo "exit $code"
code=0
gsort -m --stats-only --out-order=big s1.u64 s2.u64 || code=$?
[ $code -eq 2 ] || echo "exit $code"
