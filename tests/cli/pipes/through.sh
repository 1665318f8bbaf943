# A pipeline of unknown length, resident and spilled.
gsort-gen --dist uniform --type u64 --count 3000000 --seed 2 -o x
gsort -t u64 x -o want
cat x | gsort -t u64 | cmp - want
cat x | gsort -t u64 -S 16M | cmp - want
cat x | gsort -t u64 -S 16M --io threads -o got
cmp got want
cat x | gsort -t u64 - x -S 16M | gsort -t u64 --check
