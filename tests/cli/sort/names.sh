# Blanks, newlines, leading dashes and symbolic links in names.
printf '\2\0\0\0\1\0\0\0' >'-x y.u32'
gsort -o $'a\nb.u32' -- '-x y.u32'
od -An -tu4 $'a\nb.u32'
ln -s target link
printf old >target
gsort -o link -- '-x y.u32'
[ -L link ] || echo "the link was replaced"
od -An -tu4 target
code=0
gsort $'no\nsuch' -o out || code=$?
exit $code
