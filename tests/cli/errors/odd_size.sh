printf 123456789 >x.u64
printf old >out
code=0
gsort x.u64 -o out || code=$?
[ "$(cat out)" = old ] || echo "the old output is gone"
exit $code
