# SIGTERM and SIGKILL at any time: the output is the old one or the whole new one, and nothing is left; also while a
# stream gives nothing.
for i in 1 2 3; do gsort-gen --dist uniform --type u64 --size 16M --seed $i | gsort -t u64 >s$i.u64; done
gsort -t u64 s?.u64 -o want
mkfifo silent
exec 9<>silent
for way in "s1.u64 s2.u64 s3.u64" "s1.u64 s2.u64 s3.u64 -S 24M --batch-size 2 --io threads" "s1.u64 silent" \
    "silent s2.u64 --io threads"; do
    for delay in 0.01 0.05 0.2; do
        for signal in TERM KILL; do
            python3 "$CASES/../interrupt.py" $signal $delay gsort -m -t u64 -o out $way || echo "$signal after $delay ($way)"
        done
    done
done
[ "$(ls -A | tr '\n' ' ')" = "out s1.u64 s2.u64 s3.u64 silent want " ] || { echo "left behind:"; ls -A; }
