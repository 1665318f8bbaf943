printf 12345678 >x
code=0
gsort x >&- || code=$?
exit $code
