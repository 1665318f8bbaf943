# What --head and --tail cannot do is said in one line.
out=out
expect() { # expect CODE ARGUMENT...
    local code=$1 got=0
    shift
    gsort "$@" >"$out" || got=$?
    [ $got -eq "$code" ] || echo "gsort $*: exit $got"
}
gsort-gen --type u64 --dist uniform --count 10 -o x.u64
head -c 77 x.u64 >odd.u64
zstd -q x.u64 && head -c 60 x.u64.zst >short.u64.zst
{ cat x.u64.zst && echo garbage; } >garbage.u64.zst
expect 2 --head 3 -r x.u64
expect 2 --tail 3 -o y x.u64
expect 2 --head 3 --stats x.u64
expect 2 --head 3 --check x.u64
expect 2 --json x.u64
expect 2 --print=header --json x.u64
expect 2 --head 3 --print=header --json x.u64
expect 2 --quiet --progress=always x.u64
expect 2 --head 3 x.u64 odd.u64
expect 2 --head x x.u64
expect 2 --head 3 missing.u64
expect 2 --head 3 .
expect 2 --head 3 odd.u64
expect 2 --head 3 -k 0:u32 x.u64
cat odd.u64 | expect 2 -t u64 --head 100
[ "$(wc -l <out)" -eq 9 ] || echo "what comes before is not printed"
cat odd.u64 | expect 2 -t u64 --tail 100
expect 2 --head 100 short.u64.zst
expect 2 --tail 100 garbage.u64.zst
cat short.u64.zst | expect 2 --head 100
cat garbage.u64.zst | expect 2 --tail 3 --head 0
seq 1000 | expect 2 --head 3
cat x.u64.zst | gsort -R 2 --raw --head 1
cat x.u64 | expect 2 -t u64 --header 81 --head 3
cat x.u64 | expect 3 -t u64 --tail 2000000000000000000
out=/dev/full
expect 3 --head 3 x.u64
printf '\x93NUMPY' | expect 2 --head 1 -R 6
