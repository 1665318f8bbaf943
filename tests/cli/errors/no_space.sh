# A file system too small for the output, and one too small for the temporary files: found before the work.
[ "$(id -u)" -eq 0 ] || { echo "mounting needs root"; exit 77; }
mkdir small
mount -t tmpfs -o size=1M none small 2>/dev/null || { echo "cannot mount a tmpfs"; exit 77; }
trap 'umount small' EXIT
gsort-gen --dist uniform --size 4M --type u64 -o x
printf old >small/out
code=0
gsort x -o small/out || code=$?
echo "output: exit $code"
[ "$(cat small/out)" = old ] || echo "the old output is gone"
code=0
gsort x -o out -T small --spill always || code=$?
echo "temp: exit $code"
[ ! -e out ] || echo "wrote an output"
[ "$(ls -A small)" = out ] || echo "left something behind"
