# The output may be any of the inputs, which are read whole before it is replaced.
gsort-gen --dist uniform --type u64 --count 300000 --seed 1 -o a
gsort-gen --dist uniform --type u64 --count 300000 --seed 2 -o b
gsort-gen --dist uniform --type u64 --count 300000 --seed 3 -o c
cat a b c | gsort -t u64 -o want
for name in a b c; do
    for way in "" "-S 12M --spill always" "--io threads"; do
        cp $name kept
        gsort -t u64 a b c -o $name $way
        cmp $name want || echo "-o $name $way"
        mv kept $name
    done
done
# Runs are not read again from an input that is overwritten: two halves, each in order.
{ tail -c +3600001 want && head -c 3600000 want; } >halves
for way in "" "--io threads"; do
    cp halves w.u64
    gsort -S 10M --parallel 1 --window 16K --chunk 64K --compress none $way w.u64 1<>w.u64
    cmp w.u64 want || echo "onto itself $way"
done
