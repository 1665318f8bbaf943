# Sorts the contents of everything that zstd(1) compresses: files and pipes with any name.
need zstd
gsort-gen --dist zipf --type u64 --count 150000 --seed 5 -o x.u64
gsort -t u64 x.u64 -o want
for options in -1 -3 -19 "-T2 -B1M" --long=24 --no-check --no-content-size "--ultra -22"; do
    zstd -q $options -c x.u64 >packed
    gsort -t u64 -S 200M packed -o got
    cmp got want || echo "$options, file"
    gsort -t u64 -S 200M <packed | cmp - want || echo "$options, standard input"
    cat packed | gsort -t u64 -S 200M --io threads | cmp - want || echo "$options, pipe"
done
zstd -q x.u64 -o x.u64.zst
gsort x.u64.zst --stats=json -o got | grep '"type\|file_bytes' | sed 's/[0-9][0-9]*,$/N,/'
# Packed and plain ones in any order, streams among them.
cat x.u64 x.u64 x.u64 | gsort -t u64 -o want3
cat x.u64.zst | gsort -t u64 x.u64 - x.u64.zst -o got
cmp got want3
gsort -t u64 <(cat x.u64) <(cat x.u64.zst) <(cat x.u64) -o got
cmp got want3
gsort -t u64 <(cat x.u64.zst) <(cat x.u64.zst) <(cat x.u64.zst) -o got --spill always
cmp got want3
# One writer feeds two pipes, one after the other. The second pipe is not read before its turn.
python3 - <<'P'
import os, subprocess
data = open('x.u64.zst', 'rb').read()
(one, to_one), (two, to_two) = os.pipe(), os.pipe()
child = subprocess.Popen(['gsort', '-t', 'u64', '/proc/self/fd/%d' % one, '/proc/self/fd/%d' % two, '-o', 'got'], pass_fds=(one, two))
for fd in one, two:
    os.close(fd)
for fd, count in (to_one, 2), (to_two, 1):
    with open(fd, 'wb') as pipe:
        for i in range(count):
            pipe.write(data)
assert child.wait() == 0
P
cmp got want3
# A frame that is skipped and is longer than what is read at once, among others.
{ cat x.u64.zst && printf '\137\52\115\30\0\0\60\0' && head -c 3M /dev/zero && cat x.u64.zst x.u64.zst; } >packed
gsort -t u64 packed -o got
cmp got want3
cat packed | gsort -t u64 | cmp - want3
# Not only sorts.
zstd -q want
gsort -t u64 --check want.zst
[ "$(gsort -t u64 --stats-only x.u64.zst | grep sum)" = "$(gsort -t u64 --stats-only x.u64 | grep sum)" ] || echo "another sum"
code=0
gsort -t u64 --check x.u64.zst want.zst 2>/dev/null || code=$?
[ $code -eq 1 ] || echo "--check: exit $code"
