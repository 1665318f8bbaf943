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
