# Checks what a stopped sort keeps, and when it is removed.
gsort-gen --dist uniform --type u64 --size 8M -o x
gsort -t u64 x -o want
sort_x="gsort -t u64 x -o out --resume dir -S 12M --chunk 64K"

stopped() { # SIGNAL BYTES COMMAND..: ended by the signal once its record has more than so many bytes
    python3 "$CASES/../stop_with_record.py" "$@"
}

echo "-- interrupted: says so; nobody else can read what is kept; goes on"
stopped SIGINT 3000 $sort_x 2>&1
stat -c '%A %n' dir dir/*
[ ! -e out ] || echo "there is an output"
$sort_x --stats 2>&1 | sed -n 's/^resumed  *.* of the input and .* of the output were already done$/it went on/p'
cmp out want
[ ! -e dir ] || echo "the directory is still there"

echo "-- an old output stays until then, and its mode stays; what else is in the directory stays"
printf old >out
chmod 640 out
mkdir -m 755 dir
echo mine >dir/mine
stopped SIGKILL 3000 $sort_x
cat out && echo
$sort_x
cmp out want
stat -c '%A %n' out dir
ls dir
rm -rf dir

echo "-- the record is torn, damaged at the end, damaged at the beginning"
for bytes in 1 17 100 1000; do
    stopped SIGKILL 3000 $sort_x >signal
    truncate -s -$bytes dir/manifest
    $sort_x
    cmp out want
done
stopped SIGKILL 3000 $sort_x
printf xxxx | dd of=dir/manifest bs=1 seek=1500 conv=notrunc status=none
$sort_x
cmp out want
stopped SIGKILL 3000 $sort_x
printf xxxx | dd of=dir/manifest bs=1 seek=30 conv=notrunc status=none
$sort_x || echo "exit $?"
rm -r dir

echo "-- what was kept is damaged, missing: found, and the next one begins anew"
stopped SIGKILL 3000 $sort_x
printf xxxx | dd of=dir/runs bs=1 seek=70000 conv=notrunc status=none
rm out
$sort_x || echo "exit $?"
ls
$sort_x
cmp out want
stopped SIGKILL 3000 $sort_x
truncate -s 100 dir/runs
$sort_x || echo "exit $?"
$sort_x
cmp out want

echo "-- in place"
cp x y
stopped SIGKILL 3000 gsort -t u64 y -o y --resume dir -S 12M --chunk 64K
cmp x y
gsort -t u64 y -o y --resume dir -S 12M --chunk 64K
cmp y want

echo "-- without the record being begun, all is as ever"
gsort -t u64 x -o out --resume dir --explain | grep -c '^runs'
[ ! -e dir ] || echo "there is a directory"
