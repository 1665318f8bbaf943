# Each: one line that names the file, exit 2, and the old output is there.
need zstd
gsort-gen --dist uniform --type u32 --count 300000 --seed 5 -o x.u32
zstd -q x.u32
head -c 500000 x.u32.zst >cut.zst
cp x.u32 plain.zst
: >nothing.zst
(cat x.u32.zst; printf 'no frame') >tail.zst
(head -c 300000 x.u32.zst; printf '\1\2\3\4'; tail -c +300005 x.u32.zst) >damaged.zst
printf abc >abc
zstd -q abc # no whole number of elements
mkdir samples
for i in $(seq 1 200); do seq $i 7 $((i * 9)) >samples/$i; done
zstd -q --train samples/* -o dictionary --maxdict=4096 2>/dev/null
zstd -q x.u32 -D dictionary -o dictionary.zst
cat x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 x.u32 >long.u32
zstd -q --long=24 -c <long.u32 >long.zst
refused() {
    printf old >out
    code=0
    gsort -t u32 "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
    [ "$(cat out)" = old ] || echo "$*: the old output is gone"
}
refused cut.zst
refused plain.zst
refused nothing.zst
refused tail.zst
refused damaged.zst
refused abc.zst
refused dictionary.zst 2>&1 | sed "s/dictionary [0-9]*/dictionary N/"
refused long.zst -S 20M
refused x.u32 - <cut.zst
refused missing.zst
# A header may follow many skippable frames. It is found in a file, but not in a stream.
python3 - <<'P'
import struct
skipped = struct.pack('<II', 0x184D2A50, 2 << 20) + bytes(2 << 20)
small = struct.pack('<II', 0x184D2A51, 1000) + bytes(1000)
open('skipped.zst', 'wb').write(skipped + small * 2000 + skipped + open('x.u32.zst', 'rb').read())
open('only_skipped.zst', 'wb').write(skipped * 2)
open('cut_skipped.zst', 'wb').write(skipped[:-1])
open('garbage.zst', 'wb').write(skipped + b'garbage')
P
gsort -t u32 skipped.zst | cmp - <(gsort x.u32)
gsort -t u32 only_skipped.zst | wc -c
cat skipped.zst | refused -
refused cut_skipped.zst
refused garbage.zst
# However small they are; and frames of nothing.
python3 - <<'P'
import struct
text = b"{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b'\n'
open('few.npy', 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text + struct.pack('<3I', 5, 1, 3))
open('tiny', 'wb').write(struct.pack('<II', 0x184D2A52, 0) * 140000)
P
zstd -q few.npy
zstd -qc </dev/null >empty
gsort few.npy >sorted.npy
head -c 96000 tiny >some
cat tiny few.npy.zst >behind.zst
gsort -q behind.zst | cmp - sorted.npy
cat empty some empty few.npy.zst >behind.zst
gsort -q behind.zst | cmp - sorted.npy
cat behind.zst | gsort -q | cmp - sorted.npy
cat empty tiny few.npy.zst | refused -
# The first block of a frame may end after the last byte that is inspected for other frames.
python3 -c 'import struct; open("most", "wb").write(struct.pack("<II", 0x184D2A50, 1000000) + bytes(1000000))'
gsort-gen --type u64 --dist uniform --count 100000 --seed 9 -o random.u64
zstd -qc random.u64 | cat most - | gsort -q -t u64 | cmp - <(gsort -q random.u64)
head -c 1000 x.u32.zst | cat most - | refused -
# Numbers that look like a skippable frame to the end are no packed input without data; what has that name is.
python3 -c 'import struct; open("skipped.u32", "wb").write(struct.pack("<4I", 0x184D2A50, 8, 3, 1))'
refused skipped.u32
refused - <skipped.u32
gsort -q --raw skipped.u32 | cmp - <(python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<4I", 1, 3, 8, 0x184D2A50))')
cp skipped.u32 skipped.u32.zst
gsort -q skipped.u32.zst | cmp - /dev/null
