# Set operations on sorted files and pipes: .npy files, both reports, order and what is refused.
numbers() { python3 -c 'import struct, sys; sys.stdout.buffer.write(b"".join(struct.pack("<I", int(x)) for x in sys.argv[1:]))' "$@"; }
show() { gsort --head 99 -t u32 "$1" | tr '\n' ' ' && echo; }
numbers 1 4 4 4 9 12 >a.u32
numbers 2 4 4 9 9 13 >b.u32
for set in union intersect except semi anti xor all; do
    gsort --merge=$set a.u32 b.u32 -o out.u32 && show out.u32
    gsort --merge=$set -u a.u32 b.u32 -o out.u32 && show out.u32
done
gsort --merge=anti a.u32 b.u32 -o out.u32 --stats 2>&1 | grep -E '^(set|elements)'
gsort --merge=union a.u32 b.u32 -o out.u32 --stats=json | grep -E '"(merge_set|left_out_count|input_bytes|output_bytes)"'
gsort --merge=semi a.u32 b.u32 -o out.u32 --explain | grep -E '^(set|input)'
gsort --merge=semi --top 2 a.u32 b.u32 -o out.u32 && show out.u32
gsort --merge=semi a.u32 -o out.u32
cmp out.u32 /dev/null
# A header says how many there are.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'] + '/../formats')
import npy
npy.write('a.npy', "'<u4'", list(range(0, 3000, 2)), lambda x: struct.pack('<I', x))
npy.write('b.npy', "'<u4'", list(range(0, 3000, 3)), lambda x: struct.pack('<I', x))
npy.write('want.npy', "'<u4'", list(range(0, 3000, 6)), lambda x: struct.pack('<I', x))
P
gsort --merge=intersect a.npy b.npy -o out.npy
cmp out.npy want.npy
# Streams: with headers of their own, with a header that is copied, and decompressed by a pipe.
cat b.npy | gsort --merge=intersect <(cat a.npy) - -o out.npy
cmp out.npy want.npy
for file in a b; do { printf 'header %s,' $file; cat $file.u32; } >$file.h; done
gsort -t u32 --merge=union --header 9 a.h b.h -o want
for set in "<(cat a.h) b.h" "a.h <(cat b.h)" "<(cat a.h) <(zstd -qc b.h | zstd -dc)"; do
    eval "gsort -t u32 --merge=union --header 9 $set -o out"
    cmp out want
done
head -c 6 b.h | gsort -t u32 --merge=union --header 9 a.h - -o no || echo "exit $?"
cat b.h | gsort -t u32 --merge=semi a.u32 - -o no || echo "exit $?"
cat b.u32 | gsort -t u32 --merge=semi a.u32 - -o no -T missing || echo "exit $?"
# Two that are written to in turn do not wait for each other.
gsort-gen -d sorted -t u64 -n 400000 -o long.u64
mkfifo one
timeout 60 bash -c 'tee one <long.u64 | gsort -t u64 --merge=semi one - -o out.u64'
cmp out.u64 long.u64
# Files that are not sorted are found, whichever it is, wherever that is.
# 32768 are a block of the second file, where pieces are longer than that.
gsort-gen -d sorted -t u64 -n 50000 -o sorted.u64
for place in 1 5000 32768 49999; do
    python3 - $place <<'P'
import sys
data = bytearray(open('sorted.u64', 'rb').read())
at = 8 * int(sys.argv[1])
data[at:at + 8] = bytes(8)
open('odd.u64', 'wb').write(data)
P
    for files in "odd.u64 sorted.u64" "sorted.u64 odd.u64"; do
        code=0
        gsort --merge=anti $files -o no.u64 -S 1G --parallel 1 || code=$?
        [ $code -eq 2 ] || echo "$files: exit $code"
        code=0
        gsort --merge=anti $files -o no.u64 --window 12K 2>pieces || code=$?
        [ $code -eq 2 ] || echo "$files, short pieces: exit $code"
    done
done
# Also where that is between two pieces of the first.
python3 - <<'P'
import struct
put = lambda name, numbers: open(name, 'wb').write(struct.pack('<%dQ' % len(numbers), *numbers))
between = list(range(2000, 102000))
between[60000:60002] = between[60001], between[60000]
put('pieces.u64', list(range(1536)) + list(range(10**6, 10**6 + 1536)))
put('between.u64', between)
P
gsort --merge=anti pieces.u64 between.u64 -o no.u64 --window 12K || echo "exit $?"
# For a file that is not sorted, the message has the commands that sort it. They work in a shell, and make the
# requested output.
mkdir 'with space'
gsort-gen --dist uniform -t u32 -n 3000 --seed 1 -o "with space/it's.u32"
gsort-gen --dist uniform -t u32 -n 3000 --seed 1 | gsort -t u32 -r -o -first.u32
gsort -r --merge=semi -S 64M ./-first.u32 "with space/it's.u32" -o advised.u32 2>line || echo "exit $?"
sed "s,.*sort the file first: gsort,... gsort,; s, .with space[^;]*; then,,; s,.with.*,...," line
sed 's/.*sort the file first: \(gsort .*\); then \(gsort .*\)/\1 \&\& \2/' line >commands
. ./commands
cmp advised.u32 ./-first.u32
# For a region there are no commands, because its sorted file would not be a region.
gsort --merge=union --region 8:40 "with space/it's.u32" -o no || echo "exit $?"
# A name that is taken stays what it was; a pipe has no name.
gsort -r --merge=semi ./-first.u32 "with space/it's.u32" -o no || echo "exit $?"
gsort -t u32 --merge=semi a.u32 - -o no <"with space/it's.u32" || echo "exit $?"
# How many would be written, of files, pipes and .npy files.
for files in "a.u32 b.u32" "a.u32 <(cat b.u32)"; do
    for set in union intersect except semi anti xor all; do
        echo $set $(eval "gsort -t u32 --merge=$set $files --stats-only" | sed -n 's/^elements *//p') $(
            eval "gsort -t u32 -u --merge=$set $files --stats-only" | sed -n 's/^unique *//p')
    done
done
gsort --merge=intersect a.npy b.npy --stats-only | grep -E '^(elements|max)'
gsort --merge=intersect -u --top 3 a.npy b.npy --stats-only --stats=json | grep -E '"(output_bytes|temp_bytes)"'
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
refuse --merge=intersekt a.u32 b.u32 -o no
refuse --merge=semi a.u32 b.u32 --where '>3' -o no
refuse --merge=semi a.u32 b.u32 --part 1/2 -o no
refuse --merge=semi a.u32 b.u32 --range 0:2 -o no
refuse --merge=semi a.u32 b.u32 --check
refuse --merge=semi a.u32 b.u32 --into no
refuse --merge=semi a.u32 b.u32 -o no --stats-only
refuse --merge=semi a.u32 b.u32 --zstd --stats-only
refuse -u a.u32 --stats-only
cat b.u32 | refuse --merge=semi -t u32 a.u32 - -o no --explain
refuse --merge=semi $(for i in $(seq 65); do echo a.u32; done) -o no
zstd -qf b.u32
refuse --merge=semi -t u32 a.u32 b.u32.zst -o no
[ ! -e no ]
[ ! -e no.u64 ]
