# A limit on the size of files (`ulimit -f`) fails the job: exit 3 and one line. The old output is unchanged, and no
# other files are left.
gsort-gen --dist uniform --type u64 --size 8M -o x
mkdir temp
limited() { # COMMAND..: with files of 1 MiB at most
    (ulimit -f 1024 && "$@") && echo "$*: done" || echo "exit $?"
    [ "$(cat out)" = old ] || echo "$*: the output is another one"
    rm -rf temp/dir
    ls temp
}
printf old >out
limited gsort -t u64 x -o out
limited gsort-gen -d uniform -t u64 --size 8M -o out
for io in uring threads; do
    gsort x -t u64 -o want --io $io 2>refusal || { grep -q "refuses io_uring" refusal && continue; cat refusal; }
    limited gsort -t u64 x -o out -T temp -S 12M --spill always --io $io
    limited gsort -t u64 x -o out --resume temp/dir -S 12M --io $io
    limited gsort -t u64 x --io $io >pipe
    head -c 4M x | limited gsort -t u64 -o out -S 64M --io $io
done 2>&1 | sed "s,at byte [0-9]*,at byte N," | sort -u
limited gsort -t u64 x --print >text
limited gsort-gen -d uniform -t u64 --size 8M >text
(ulimit -f 0 && gsort -t u64 x --stats-only --stats=json:report) || echo "exit $?"
