# Files that --resume did not make are left alone, whatever their names.
gsort-gen --dist uniform --type u64 --size 1M -o x
gsort -t u64 x -o want
try() {
    gsort -t u64 "$@" 2>&1 || echo "exit $?"
}

echo "-- somebody's files"
mkdir dir
{ head -c 30 /dev/zero && echo important; } >dir/manifest.gsort
try x -o out --resume dir
tail -c 10 dir/manifest.gsort
rm dir/manifest.gsort
for name in runs output manifest manifest.gsort; do
    cp x dir/$name
    try x -o out --resume dir
    try dir/$name -o out --resume dir
    cmp dir/$name x
    ls dir
    rm dir/$name
done
[ ! -e out ] || echo "there is an output"

echo "-- the output"
cp x output
try output -o output --resume .
cmp output x
rm output
for name in runs output manifest; do
    try x -o $name --resume .
    [ ! -e $name ] || ls
done

echo "-- in one directory"
try x -o out --resume .
cmp out want
ls
