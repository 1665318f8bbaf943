# --split refuses to start if files of the pattern with higher numbers exist. A split into more files may have left them, and they
# would be taken for new ones. It replaces files if there are as many new ones, or more.
gsort-gen -d uniform -t u32 -n 1000 --seed 1 -o x.u32
gsort x.u32 -o sorted
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
mkdir p
gsort x.u32 --split 10 -o 'p/%%%d.u32'
cat p/* | cksum > before
refuse x.u32 --split 5 -o 'p/%%%d.u32'
refuse x.u32 --split-at 7,70 -o 'p/%%%d.u32'
(cd p && refuse ../x.u32 --split 9 -o '%%%d.u32')
cat p/* | cksum | cmp - before
ls p

gsort x.u32 --split 10 -o 'p/%%%d.u32'
gsort x.u32 --split 11 -o 'p/%%%d.u32'
gsort -m p/* -o all
cmp all sorted

# Names of the same pattern only: zeros and blanks belong to it.
touch p.7 p.007x p.0007 p.+7 p.-7 p.0 'p. 7' p.4294967297 p.99999999999999999999999 .p.007 q.007
gsort x.u32 --split 3 -o p.%03d
refuse x.u32 --split 3 -o p.%2d
refuse x.u32 --split 3 -o p.%d
gsort x.u32 --split 7 -o p.%d
mkdir p.512
refuse x.u32 --split 3 -o p.%03d
rmdir p.512
gsort x.u32 --split 256 -o p.%03d
refuse x.u32 --split 255 -o p.%03d
