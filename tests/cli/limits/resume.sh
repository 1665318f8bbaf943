# A sort does not continue by default if the machine no longer has its memory. The message has both numbers.
gsort-gen --dist uniform --type u64 --size 4M -o x
{ GSORT_FAULTS=sync:30=9 gsort-faults x -o out --resume dir --chunk 64K -S 64M >report 2>&1 || :; } 2>kill
(ulimit -v 60000 && gsort -t u64 x -o out --resume dir --chunk 64K 2>&1) || echo "exit $?"
(ulimit -v 60000 && gsort -t u64 x -o out --resume dir --chunk 64K -S 50% 2>&1) || echo "exit $?"
gsort -t u64 x -o out --resume dir --chunk 64K
gsort -t u64 x -o want
cmp out want
