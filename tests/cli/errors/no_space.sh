# A file system too small for the output, and one too small for the temporary files: found before the work.
need_mounts
mkdir small
gsort-gen --dist uniform --size 4M --type u64 -o x
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=1M none small
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
IN
