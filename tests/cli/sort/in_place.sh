gsort-gen --dist uniform --type u64 --count 100000 --seed 3 -o x
cp x before
chmod 640 x
gsort -t u64 x -o x
gsort -t u64 --check x
stat -c %a x
cmp -s x before && echo "nothing was sorted" || :
