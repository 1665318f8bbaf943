# Address space that is limited, memory that may not be locked: it works, or one line says why not.
gsort-gen --dist uniform --type u64 --size 16M -o x
gsort -t u64 x -o want
(ulimit -l 0 && gsort -t u64 x -o out -S 24M)
cmp out want
(ulimit -v 400000 && gsort -t u64 x -o out)
cmp out want
# Memory per thread limits the number of threads.
gsort-gen --dist uniform --type f64 --size 1M -o y
gsort -t f64 -u --count --argsort y -o out -S 12M --parallel 1
gsort -t f64 -u --count --argsort y -o many -S 12M --parallel 64
cmp out many
# Whatever it is, it neither hangs nor crashes, but for what the kernel ends because the program itself has no room.
program=$(($(stat -L -c %s "$(command -v gsort)") / 1024))
for kib in $((program + 8000)) $((program + 15000)) 25000 35000 50000 90000 200000; do
    [ $kib -ge $((program + 8000)) ] || continue
    for way in "" "-S 16M" "-S 16M --io threads" "-S 64M"; do
        rm -f out
        code=0
        (ulimit -v $kib && timeout 60 gsort -q -t u64 x -o out $way) 2>message || code=$?
        case $code in
        0) cmp out want ;;
        2 | 3) [ "$(wc -l <message)" = 1 ] && [ ! -e out ] || { echo "$kib, $way: exit $code"; cat message; } ;;
        127) grep -q 'shared librar' message || cat message ;; # not even the loader
        *) echo "$kib, $way: exit $code" && cat message ;;
        esac
    done
done
# A zstd frame that says that it looks back upon 2 GiB: nothing is taken before the plan says that it is too much.
printf '\x28\xb5\x2f\xfd\x00\xa8\x41\x00\x00abcdefgh' >long.zst
(ulimit -v 400000 && gsort long.zst -t u64 -o out -S 64M) && echo "2 GiB in 64 MiB"
gsort --explain long.zst -t u64 -S 4G >plan || echo "2 GiB in 4 GiB: exit $?"
