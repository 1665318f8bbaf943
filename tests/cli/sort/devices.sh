# Non-regular outputs are written in place, never renamed over.
gsort-gen --dist uniform --type u64 --count 300000 -o x
gsort -t u64 x -o /dev/null
[ -c /dev/null ] || echo "/dev/null was replaced"
mkfifo fifo
cat fifo >got &
gsort -t u64 x -o fifo
wait
[ -p fifo ] || echo "the FIFO was replaced"
gsort -t u64 x -o want
cmp got want
