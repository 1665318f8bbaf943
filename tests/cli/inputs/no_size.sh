# Every verb reads files of unknown size until they end. The kernel reports size 0 in /proc, and a whole page in /sys.
# /proc/self/environ contains the environment that gsort was given.
gsort=$(command -v gsort)
given() { # TEXT of a whole number of eights, but for the "A=" before it and the NUL behind it; then arguments
    local text=$1
    shift
    env -i "A=$text" "$gsort" ${quiet--q} "$@"
}
mixed=ccccccbbbbbbbbaaaaaaaaddddddd ordered=aaaaaabbbbbbbbccccccccddddddd
printf 'A=%s\0' "$mixed" >mixed
printf 'A=%s\0' "$ordered" >ordered
gsort-gen --dist uniform --type u64 --size 8000 -o x
me=/proc/self/environ
[ "$(stat -c %s $me)" = 0 ]
for io in uring threads; do
    for way in "" "-R 8" "--raw" "-r" "-S 16M --spill always" "--top 2" "-u" "--header 8" "--header 8 --raw" "--verify=read"; do
        gsort -q $way mixed -o want
        given "$mixed" $way --io $io $me -o out
        cmp out want
        # as standard input: it belongs to the shell, which stays
        env -i "A=$mixed" sh -c 'exec <$0; "$@"; exit $?' $me "$gsort" -q $way --io $io -o out
        cmp out want
        gsort -q $way x mixed x mixed -o want
        given "$mixed" $way --io $io x $me x $me -o out
        cmp out want
    done
    gsort -t u64 --stats-only mixed >want
    quiet="" given "$mixed" -t u64 --io $io --stats-only $me >out
    diff <(grep -v '^time\|^engine\|^type' want) <(grep -v '^time\|^engine\|^type' out)
    given "$ordered" --io $io -R 8 --check $me
    code=0
    given "$mixed" --io $io -R 8 --check-quiet $me || code=$?
    [ $code = 1 ]
    gsort -R 8 x -o sorted
    gsort -R 8 x ordered -o want
    given "$ordered" --io $io -R 8 -m sorted $me -o out
    cmp out want
    gsort -t u64 x mixed -o want
    printf '%s\0' x $me >names
    given "$mixed" --io $io --files0-from=names -o out
    cmp out want
    # so many that most are closed after they were inspected, until they are read
    many=$(printf 'x %.0s' {1..130})
    gsort -t u64 $many mixed -o want
    given "$mixed" --io $io $many $me -o out
    cmp out want
done
given "$mixed" --explain $me -o never | grep -q 'a stream' || echo "the plan knows a length"
code=0
given "$mixed" --resume=kept $me -o never || code=$?
[ $code = 2 ]
[ ! -e never ]
[ ! -e kept ]
code=0
given "${mixed}x" $me -o never || code=$?
[ $code = 2 ]
[ ! -e never ]
# an empty file is one
: >empty
gsort -t u64 empty -o out
[ ! -s out ]
gsort -t u64 --explain empty -o out | grep -q 'a stream' && echo "an empty file has a length"
gsort -t u64 --resume=kept empty -o out
# more than there is
cpus=/sys/devices/system/cpu/online
if [ ! -r $cpus ]; then
    skip_part "files in /sys" "no /sys"
    exit 0
fi
cat $cpus >want
bytes=$(stat -c %s want)
gsort -R "$bytes" $cpus -o out
cmp out want
gsort -R "$bytes" $cpus want -o out
cmp out <(cat want want)
