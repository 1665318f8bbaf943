# Killed between the last entry on record and the end: the output is there already, or is put there; but only where
# it is what was sorted, of what the inputs are.
gsort-gen --dist uniform --type u64 --size 1M -o x
gsort -t u64 x -o want
for n in $(seq 1 "$(sized 1 2)" 12); do
    cp x y
    { GSORT_FAULTS=place:$n=9 gsort-faults y -o y --resume dir -S 12M --chunk 64K >report 2>&1 || :; } 2>kill
    cmp -s y x || cmp -s y want || echo "place:$n: the file is neither the old one nor the new one"
    gsort -t u64 y -o y --resume dir -S 12M --chunk 64K --stats=json >report || { echo "place:$n"; cat report; ls -la dir; }
    cmp y want
    grep -q '"count": 131072' report || echo "place:$n: the tally is not whole"
    [ ! -e dir ] || { echo "place:$n: left behind:"; ls -la dir; }
done

head -c 80000 x >a
cp a b
gsort -t u64 a b -o want
GSORT_FAULTS_REPORT=calls gsort-faults -t u64 a b -o out --resume dir --parallel 1
rm out

# until_done STATE GSORT-ARGUMENTS..: kills the sort when everything is on record and the output is in its place (placed) or not (unplaced). It does so at one of the last calls, of which there are more if the output replaces a file.
until_done() {
    local state=$1 kind=sync calls
    shift
    [ "$state" = placed ] || kind=place
    calls=$(sed -n "s/^$kind //p" calls)
    for n in $(seq $((calls - 3)) $((calls + 8))); do
        { GSORT_FAULTS=$kind:$n=9 gsort-faults "$@" --resume dir --parallel 1 >report 2>&1 || :; } 2>kill
        [ ! -e dir/manifest ] || python3 "$CASES/../manifest.py" dir/manifest >entries
        if [ -e dir/manifest ] && grep -q DONE entries && { [ $state = unplaced ] || [ ! -e dir/output ]; }; then
            return
        fi
        rm -rf dir
    done
    echo "$state: not by call $n"
}
try() {
    gsort -t u64 "$@" --resume dir --parallel 1 2>&1 || echo "exit $?"
}

for state in placed unplaced; do
    echo "-- $state: goes on"
    until_done $state a b -o out
    try a b -o out
    cmp out want
    [ ! -e dir ] || ls -la dir
    rm -f out

    echo "-- $state: an input has another time; another time of change; another size; is another file; is gone"
    until_done $state a b -o out
    cp -p a kept
    touch -d '2020-01-01' a
    try a b -o out
    cp -p kept a
    try a b -o out
    truncate -s 40000 a
    try a b -o out
    mv a old
    cp -p kept a
    try a b -o out
    rm a
    try a b -o out
    cp kept a
    rm -rf dir out

    echo "-- $state: in place, with another input that stays; and that changes"
    cp a c
    until_done $state b c -o c
    try b c -o c
    cmp c want
    cp a c
    until_done $state b c -o c
    cp b d
    mv d b
    try b c -o c
    rm -rf dir
done

echo "-- placed: the output was changed, replaced, removed"
until_done placed a b -o out
cp -p out kept
printf 'x' | dd of=out bs=1 seek=5000 conv=notrunc status=none
try a b -o out
cp kept other
mv other out
try a b -o out
rm out
try a b -o out
[ ! -e out ] || ls
rm -rf dir
cp a c
until_done placed b c -o c
cp a new
mv new c
try b c -o c
cmp c a
rm -rf dir

echo "-- unplaced: what is in the directory is not the output"
until_done unplaced a b -o out
printf 'x' | dd of=dir/output bs=1 seek=5000 conv=notrunc status=none
try a b -o out
ls
rm -rf dir

echo "-- placed: the last byte of the output was changed"
gsort-gen --dist uniform --type u64 --size 8M --seed 2 -o a
GSORT_FAULTS_REPORT=calls gsort-faults -t u64 a -o out --resume dir --parallel 1
rm out
until_done placed a -o out
cp -p out kept
printf 'x' | dd of=out bs=1 seek=8388607 conv=notrunc status=none
touch -r kept out
try a -o out
rm -rf dir

for state in placed unplaced; do
    echo "-- $state: --verify=read reads all of it: what samples do not see, and what is right"
    until_done $state a -o out
    file=out
    [ $state = placed ] || file=dir/output
    touch -r $file time
    printf 'x' | dd of=$file bs=1 seek=4500001 conv=notrunc status=none
    touch -r time $file
    try a -o out --verify=read
    [ ! -e dir ] || echo "dir is still there"
    [ ! -e out ] || echo "out is still there"
    rm -rf dir out
    until_done $state a -o out
    try a -o out --verify=read
    cmp out kept
    rm -f out
done
