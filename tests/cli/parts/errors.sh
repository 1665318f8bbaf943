# Invalid ranges and parts, and options that conflict with them, give a line each and exit 2. Nothing is written.
gsort-gen -d uniform -t u64 -n 100 -o x.u64
gsort x.u64 -o sorted.u64
gsort x.u64 -o x.u64.zst
refuse() {
    local code=0
    gsort "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
for range in '' 5 : :5 5:-1 -1:5 1:x x:1 1:2:3 5:18446744073709551615; do
    refuse --range "$range" x.u64
done
for range in 101: 0:101 100:1 101:0 18446744073709551615:; do
    refuse --range "$range" x.u64
done
refuse --range 0:5 x.u64.zst
cat x.u64 | refuse --range 0:5
for part in '' 1 /2 1/ 0/2 3/2 1/0 -1/2 1/-2 1/2/3 a/b 1/4294967296; do
    refuse -m --part "$part" sorted.u64
done
refuse --part 1/2 sorted.u64
refuse -m --part 1/2 sorted.u64 x.u64.zst
cat sorted.u64 | refuse -m --part 1/2
refuse -m -u --part 1/2 sorted.u64
refuse -m --top 3 --part 1/2 sorted.u64
refuse -m --part 2/3 x.u64
printf '\1\1\5\6\7\11\12' >one
printf '\13\2\13\1\6\12' >two
refuse -m -R 1 -k 0:b1 --part 2/4 one two # it would end before it begins
for arguments in '--head 3' '--check --part 1/2' '--stats-only --part 1/2'; do
    code=0
    gsort --range 0:5 $arguments sorted.u64 || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
[ ! -e out ]
# Zeros follow a shorter value: these are one.
code=0
gsort -R 8 -k 0:b2 --split-at 0x61,0x6100 -o 'no%d' x.u64 || code=$?
[ $code -eq 2 ]
# Two names of a pattern are one file, or two links lead to another.
for links in "1 p2.u64" "2 p1.u64" "1 other 3 other"; do
    set -- $links
    rm -f p?.u64
    while [ $# -gt 0 ]; do
        [ $2 = other ] && ln -s other p$1.u64 || ln -s $2 p$1.u64
        shift 2
    done
    for way in "--split 3" "--split-at 5,7"; do
        code=0
        gsort $way -o 'p%d.u64' x.u64 || code=$?
        [ $code -eq 2 ] || echo "$links $way: exit $code"
    done
done
[ ! -e other ]
