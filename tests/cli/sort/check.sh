printf '\1\0\0\0\3\0\0\0\2\0\0\0' >x.u32
code=0
gsort -c x.u32 || code=$?
echo "exit $code"
code=0
gsort -C x.u32 || code=$?
echo "exit $code"
gsort x.u32 -o x.u32
gsort -c x.u32
gsort -c -r x.u32 || echo "exit $?"
