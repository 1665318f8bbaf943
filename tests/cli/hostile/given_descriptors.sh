# A name of a descriptor that gsort was given stands for that descriptor. It is written in place, and not replaced.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort -t u64 x -o want
printf head >head
printf tail >tail
ln -s /dev/stdout link
inode() { stat -c %i "$1"; }
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1 /proc/thread-self/fd/1 /dev/../dev/stdout link ./link; do
    for way in "" "--io threads" "-S 16M --spill always -T ." "-m want"; do
        input=x
        case $way in -m*) input= ;; esac
        cp head out
        before=$(inode out)
        (
            exec 1<>out # at byte 4
            cat <&1 >/dev/null
            gsort $way -t u64 $input -o "$name"
            cat tail
        )
        cat head want tail | cmp - out
        [ "$(inode out)" = "$before" ] || echo "$name $way: replaced"
        cp head out
        before=$(inode out)
        (gsort $way -t u64 $input -o "$name" && cat tail) >>out
        cat head want tail | cmp - out
        [ "$(inode out)" = "$before" ] || echo "$name $way: replaced where it was to be appended to"
    done
done
for name in /dev/fd/7 /proc/self/fd/7; do
    gsort -t u64 x -o $name 7>out
    cmp out want
    gsort -t u64 x -o $name 7>&1 >/dev/null | cmp - want
    gsort -t u64 x -o $name 7<x && echo "wrote to what is open for reading"
    gsort -t u64 x -o $name 7>&- && echo "wrote to nothing"
done
cmp out want
gsort -t u64 --explain x -o /dev/stdout >plan
# what would be standard output's is said elsewhere
gsort -t u64 x -o /dev/stdout --stats=json >out 2>report
cmp out want
python3 -c 'import json; json.load(open("report"))'
gsort -t u64 --resume=kept x -o /dev/stdout >out || echo "exit $?"
[ ! -s out ]
[ ! -e kept ]
