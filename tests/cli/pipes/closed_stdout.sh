printf 12345678 >x
code=0
gsort -t u64 x >&- || code=$?
exit $code
