# Onto links, into a FIFO; sparse inputs.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort x -o want
mkdir there
ln -s there/out link # the file need not exist
gsort x -o link
[ -L link ]
cmp there/out want
gsort -r x -o link
[ -L link ]
gsort there/out -o link
cmp there/out want
ln there/out second # a second name keeps what it had
gsort -r x -o there/out
cmp second want
ln -s loop loop
gsort x -o loop || echo "exit $?"
mkfifo pipe
gsort x -o pipe &
cmp pipe want
wait $!
truncate -s 3M sparse.u64
printf '\1' | dd of=sparse.u64 bs=1 seek=8 conv=notrunc status=none
gsort sparse.u64 -o out
gsort --check out
[ "$(stat -c %s out)" = 3145728 ]
[ "$(tail -c 8 out | od -An -tu8 | tr -d ' ')" = 1 ]
