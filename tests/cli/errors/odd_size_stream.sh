printf old >out
code=0
printf 123456789 | gsort -t u32 -o out || code=$?
[ "$(cat out)" = old ] || echo "the old output is gone"
exit $code
