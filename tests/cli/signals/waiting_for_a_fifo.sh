# gsort waits for the other end of a FIFO, and a signal ends the wait as at any other time.
mkfifo quiet other
printf old >out
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort -t u64 x -o want
for way in "quiet -o out" "--raw quiet -o out" "x quiet -o out" "-m --raw want quiet -o out" "--stats-only quiet" "x -o quiet"; do
    for io in uring threads; do
        "$CASES/../interrupt_waiting.py" INT gsort -t u64 $way --io $io
    done
done
cat out
echo
rm out
for io in uring threads; do
    for way in "" "--raw" "-S 16M"; do
        gsort -t u64 $way --io $io quiet other -o out &
        exec 3>quiet
        [ "$way" != --raw ] || exec 4>other # else it is looked at what the first is, first
        head -c 32768 x >&3
        [ "$way" = --raw ] || exec 4>other
        exec 3>&-
        tail -c 32768 x >&4
        exec 4>&-
        wait $!
        cmp out want
        rm out
    done
    : >quiet & # a writer that has nothing to say
    gsort -t u64 --raw --io $io quiet -o out
    wait $!
    [ -e out ]
    [ ! -s out ]
    rm out
    gsort -t u64 x --io $io -o quiet &
    cmp quiet want
    wait $!
done
gsort-gen --dist uniform --type u64 --size 64K -o quiet &
cmp quiet x
wait $!
ls -A
