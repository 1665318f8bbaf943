# Refuses sorts that cannot continue, and those that must not.
gsort-gen --dist uniform --type u64 --size 8M -o x
cp x y
cp x z
more="-S 12M --chunk 64K"
try() {
    gsort -t u64 "$@" || echo "exit $?"
}

echo "-- options" 2>&1
for options in -m -u "--top 3" "-T ." "--device cuda" --zstd; do
    # shellcheck disable=SC2086
    try x -o out --resume dir $options 2>&1
done
try x --resume dir 2>&1
try x -o /dev/null --resume dir 2>&1
try -c x --resume dir 2>&1
try --stats-only x --resume dir 2>&1
cat x | try - -o out --resume dir 2>&1
gsort -t u64 x -o x.zst
try x.zst -o out --resume dir 2>&1
ls

echo "-- directories"
touch file
mkdir open link_to
chmod 777 open
ln -s link_to link
for dir in file open link none/dir; do
    try x -o out --resume $dir $more 2>&1
done
ls
if [ -d /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ]; then
    there=$(mktemp -d -p /dev/shm)
    try x -o out --resume "$there/dir" $more 2>&1
    ls "$there"
    rm -r "$there"
else
    echo "gsort: 'out': is not in the file system of the --resume directory; choose a directory in the same file system"
    echo "exit 2"
fi

echo "-- another command"
python3 "$CASES/../stop_with_record.py" SIGKILL 3000 gsort -t u64 x y -o out --resume dir -S 12M --chunk 64K
try x y -o out2 --resume dir $more 2>&1
try x y -r -o out --resume dir $more 2>&1
try x y --nan=last -o out --resume dir $more 2>&1
gsort x y -t i64 -o out --resume dir $more 2>&1 || echo "exit $?"
try x y -o out --resume dir -S 12M --chunk 128K 2>&1
try x y x -o out --resume dir $more 2>&1
try y -o out --resume dir $more 2>&1
(
    flock 9
    try x y -o out --resume dir $more 2>&1
) 9<dir

echo "-- an input that has changed: time, content, size, another file, another change time"
cp -p y kept
touch y
try x y -o out --resume dir $more 2>&1
printf 'other' | dd of=y bs=1 seek=8388600 conv=notrunc status=none
touch -r kept y
try x y -o out --resume dir $more 2>&1
truncate -s +8 y
touch -r kept y
try x y -o out --resume dir $more 2>&1
mv y old
cp -p kept y
try x y -o out --resume dir $more 2>&1
mv old y
cp z y
touch -r kept y
try x y -o out --resume dir $more 2>&1
rm -r dir
try x y -o out --resume dir $more
gsort -t u64 z z -o want
cmp out want

echo "-- a device"
said="gsort: --resume cannot be used with 'device', a device: changes to its data cannot be detected"
for device in $(find /dev -type b -readable 2>/dev/null) none; do
    { : <"$device"; } 2>/dev/null && break
done
if [ "$device" = none ]; then
    skip_part "a device" "no block device"
    printf '%s\nexit 2\n' "$said"
else
    try "$device" -o out2 --resume dir 2>&1 | sed "s|'$device'|'device'|"
fi
ls
