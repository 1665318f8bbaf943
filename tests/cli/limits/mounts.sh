# File systems that lack something: no /proc, no direct I/O (tmpfs), directories that may only be read.
need_mounts
gsort-gen --dist uniform --type u64 --size 4M -o x
gsort -t u64 x -o want
printf old >old
mkdir memory fixed
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=16M none memory
cp x memory/x
gsort -t u64 memory/x -o memory/out -S 16M --spill always -T memory --verify=read
cmp memory/out want
mount --bind fixed fixed
mount -o remount,bind,ro fixed
gsort -t u64 x -o out -S 16M --spill always -T fixed || echo "exit $?"
[ ! -e out ]
gsort -t u64 x -o fixed/out || echo "exit $?"
mount -t tmpfs none /proc
gsort -t u64 x -o out -S 16M --spill always
cmp out want
cp old out
gsort -t u64 x -o out --verify=read
cmp out want
gsort -t u64 x -S 16M | cmp - want
IN
