# A file and a stream that are off by one byte: which, how long, and the old output stays.
head -c 701 /dev/zero >x
printf old >out
code=0
gsort -R 7 x -o out || code=$?
[ $code -eq 2 ] || echo "file: exit $code"
code=0
cat x | gsort -R 7 -o out || code=$?
[ $code -eq 2 ] || echo "stream: exit $code"
code=0
head -c 700 x >whole
gsort -q -R 7 --window 4K whole -o out || code=$?
[ $code -eq 2 ] || echo "window: exit $code"
[ "$(cat out)" = old ] || echo "the old output is gone"
