# One pass for as many files as are merged at once, whatever their size; the plan of more. Nothing is written.
for i in 1 2 3 4; do truncate -s 3G huge$i.u64; done
truncate -s 40000 small1.u64 small2.u64
gsort -m huge?.u64 -o out -S 64M --parallel 2 --explain | grep -v space
echo
gsort -m huge1.u64 small?.u64 huge2.u64 -o out -S 64M --batch-size 3 --parallel 2 --explain | grep -v space
echo
cat small1.u64 | gsort -m - small2.u64 --explain -o out -S 64M --batch-size 2 --parallel 2
[ ! -e out ]
