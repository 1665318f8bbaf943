# Onto links, into a FIFO; sparse inputs.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort -t u64 x -o want
mkdir there
ln -s there/out link # the file need not exist
gsort -t u64 x -o link
[ -L link ]
cmp there/out want
gsort -t u64 -r x -o link
[ -L link ]
gsort -t u64 there/out -o link
cmp there/out want
ln there/out second # a second name keeps what it had
gsort -t u64 -r x -o there/out
cmp second want
ln -s loop loop
gsort -t u64 x -o loop || echo "exit $?"
mkfifo pipe
gsort -t u64 x -o pipe &
cmp pipe want
wait $!
timeout 20 gsort -R 16 -k 0:b4 --mode x -o pipe || echo "exit $?" # refused, and not opened: no one reads
truncate -s 3M sparse.u64
printf '\1' | dd of=sparse.u64 bs=1 seek=8 conv=notrunc status=none
gsort -t u64 sparse.u64 -o out
gsort -t u64 --check out
[ "$(stat -c %s out)" = 3145728 ]
[ "$(tail -c 8 out | od -An -tu8 | tr -d ' ')" = 1 ]
