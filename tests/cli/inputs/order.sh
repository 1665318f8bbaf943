# Inputs are one after the other in the order of the command line: what --check sees; `-` is anywhere, once.
printf '\1\0\0\0\2\0\0\0' >a.u32
printf '\3\0\0\0\4\0\0\0' >b.u32
printf '\5\0\0\0' >c.u32
gsort -c -t u32 a.u32 - c.u32 <b.u32
cat b.u32 | gsort -c -t u32 a.u32 - c.u32
cat a.u32 | gsort -c -t u32 - b.u32 c.u32
cat c.u32 | gsort -c -t u32 a.u32 b.u32 -
code=0
cat a.u32 | gsort -c -t u32 b.u32 - c.u32 || code=$?
echo $code
code=0
gsort -t u32 a.u32 c.u32 b.u32 -c || code=$?
echo $code
code=0
gsort -t u32 - a.u32 - -o out </dev/null || code=$?
echo $code
# Empty ones count for nothing, wherever they are.
: >empty
gsort -t u32 empty b.u32 empty a.u32 empty c.u32 empty -o - | cmp - <(cat a.u32 b.u32 c.u32)
