# Few descriptors: 16 do for a sort that spills to several directories; with fewer it works, or says why not.
need zstd
gsort-gen --dist uniform --type u64 --size 4M -o x
gsort -t u64 x -o want
mkdir a b
# The shell's limit is not the hard limit.
(ulimit -Sn 64 && gsort -t u64 x -o part-%d --split=32 --verify=read -S 64M)
cat $(ls part-* | sort -t- -k2n) | cmp - want
rm part-*
for io in uring threads; do
    (ulimit -n 16 && gsort -t u64 x -o out -S 16M --spill always -T a -T b --io $io)
    cmp out want
    (ulimit -n 16 && gsort -t u64 -u x -o out.zst -S 24M --spill always --verify=read --io $io)
    zstd -dqc out.zst | cmp - want
    for n in 4 6 7 8 9 10 12; do
        rm -f out
        code=0
        (ulimit -n $n && timeout 60 gsort -t u64 x -o out -S 16M --spill always -T a --io $io) 2>message || code=$?
        case $code in
        0) cmp out want ;;
        2 | 3) [ "$(wc -l <message)" = 1 ] && [ ! -e out ] || { echo "$io, $n: exit $code"; cat message; } ;;
        127) ;; # the loader itself needs some
        *) echo "$io, $n: exit $code" && cat message ;;
        esac
    done
done
