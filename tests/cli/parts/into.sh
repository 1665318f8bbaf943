# --into: parts written by processes at once, in any order and again, are the merge; a header is there once.
for i in 1 2 3; do
    gsort-gen -d uniform -t u64 -n $((i * 1000)) --seed $i | gsort -R 16 -k 0:uint8 -o $i.rec
done
merge() {
    gsort -m -R 16 -k 0:uint8 "$@" 1.rec 2.rec 3.rec
}
merge -o all
for parts in 1 2 7; do
    for part in $(seq $parts | tac); do
        merge --part $part/$parts --into out --verify read &
    done
    wait
    cmp out all
    merge --part 1/$parts --into out
    cmp out all
    rm out
done
merge --into out
cmp out all
for part in 2 1; do
    merge --header 32 --part $part/2 --into headed
done
merge --header 32 -o all_headed
cmp headed all_headed
: > empty
for part in 1 2 3; do
    merge --part $part/3 --range 100:1 --into empty
done
wc -c < empty

# A .npy file has its whole length in its header from the first part on.
python3 - <<'END'
import struct
for name, numbers in ('a.npy', range(0, 3000, 3)), ('b.npy', range(0, 3000, 2)):
    header = ("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % len(numbers)).ljust(117) + '\n'
    with open(name, 'wb') as file:
        file.write(b'\x93NUMPY\1\0' + struct.pack('<H', len(header)) + header.encode())
        file.write(struct.pack('<%dI' % len(numbers), *numbers))
END
gsort -m a.npy b.npy -o all.npy
gsort -m a.npy b.npy --part 2/3 --into out.npy
cmp -n 128 out.npy all.npy
for part in 3 1; do
    gsort -m a.npy b.npy --part $part/3 --into out.npy
done
cmp out.npy all.npy
gsort -m a.npy b.npy --part 2/3 --into out.npy --stats=json |
    python3 -c 'import json, sys; report = json.load(sys.stdin); print(report["into"], report["first_key"], report["last_key"])'
gsort -m a.npy b.npy --part 2/3 --into out.npy --explain | grep into

# Files that --into cannot use, and options that conflict with it, give a line each and exit 2. Nothing is written.
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
ln -s all link
mkfifo fifo
cp 1.rec first
for file in 1.rec first link fifo /dev/null - packed.zst; do
    refuse -m -R 16 -k 0:uint8 1.rec 2.rec --into $file
done
cmp first 1.rec
refuse -R 16 1.rec --into new
for option in -u --top=3 '--where=8:uint8<9' --resume=kept --zstd -onew --distinct; do
    refuse -m -R 16 -k 0:uint8 $option 1.rec --into new
done
cat 1.rec | refuse -m -R 16 --into new
refuse --check --into new 1.rec
[ ! -e new ]
[ ! -e packed.zst ]

# A part that fails leaves the others as they are, and can be made again.
head -c 7984 1.rec > unsorted
head -c 16 3.rec >> unsorted
gsort -m -R 16 -k 0:uint8 1.rec 2.rec -o two
cp two place
code=0
gsort -m -R 16 -k 0:uint8 unsorted 2.rec --part 2/2 --into place || code=$?
echo $code
cmp -n 12000 place two
gsort -m -R 16 -k 0:uint8 1.rec 2.rec --part 2/2 --into place
cmp place two
