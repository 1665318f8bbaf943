# --split, --split-at: files one after the other are the output; nothing of them is there before all of it.
gsort-gen -d uniform -t u32 -n 100003 --seed 1 -o x.u32
gsort x.u32 -o sorted.u32
together() { # FILE...: they are what `sorted.u32` is
    cat "$@" | cmp - sorted.u32
}
gsort x.u32 --split 4 -o 'quarter.%d' --stats 2>&1 | grep split
together quarter.?
wc -c < quarter.3
cat x.u32 | gsort -t u32 --split 12 -o 'a%%b.%03d' -S 14M --spill always --chunk 64K
together a%b.0*
gsort -m sorted.u32 --split 3 -o 'm.%2d'
together 'm. 1' 'm. 2' 'm. 3'
gsort x.u32 --split-at 0,0x40000000,3000000000 -o 'at.%d' --stats=json |
    python3 -c 'import json, sys; print(*json.load(sys.stdin)["split"])'
together at.?
gsort --head 1 -t u32 at.4 -q
gsort x.u32 --split 3 -o 'packed.%d.zst'
zstd -dc packed.?.zst | cmp - sorted.u32
gsort x.u32 --header 3 --drop-tail --split 2 -o 'headed.%d' -q
cmp -n 3 headed.1 x.u32
cmp -n 3 headed.2 x.u32
gsort x.u32 --split 3 -o 'x%d' --explain | grep split
gsort x.u32 --top 10 --split 3 -o 'top.%d'
cat top.? | cmp - <(head -c 40 sorted.u32)
gsort -R 8 -k 4:u16:desc x.u32 --drop-tail --split-at 60000,50000,1 -o 'rec.%d' -q
gsort -R 8 -k 4:u16:desc x.u32 --drop-tail -o rec -q
cat rec.? | cmp - rec
gsort -R 8 -k 4:u16 --head 1 rec.2

gsort x.u32 --argsort --split 3 -o 'position.%d'
gsort x.u32 --argsort -o position
cat position.? | cmp - position
gsort -R 8 -k 4:u16 x.u32 --drop-tail -q --out 5:3,0:2 --top 900 --split 4 -o 'out.%d'
gsort -R 8 -k 4:u16 x.u32 --drop-tail -q --out 5:3,0:2 --top 900 -o out
cat out.? | cmp - out

# Groups with counts, wider than elements; a .npy header for each file, with its count.
cat x.u32 x.u32 | gsort -t u32 -u --count --split-at 1000000000,2000000000 -o 'unique.%d' -S 14M
cat x.u32 x.u32 | gsort -t u32 -u --count -o unique
cat unique.? | cmp - unique
python3 - <<'END'
import struct
header = "{'descr': '<u4', 'fortran_order': False, 'shape': (1000,), }".ljust(117) + '\n'
open('n.npy', 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(header)) + header.encode() + struct.pack('<1000I', *range(1000)))
END
gsort n.npy --split 3 -o 'n%d.npy'
gsort n.npy --split 3 -o 'packed%d.npy.zst'
gsort n.npy --split-at 10 -o 'v%d.npy'
for i in 1 2 3; do
    zstd -dc packed$i.npy.zst | cmp - n$i.npy
done
for file in n2.npy v1.npy v2.npy; do
    gsort --stats-only --stats=json $file |
        python3 -c 'import json, sys; tally = json.load(sys.stdin)["tally"]; print(tally["count"], tally["min"], tally["max"])'
done

# A failure leaves what was there: old files, and none that are new.
mkdir old
for i in 1 2 3; do
    echo old > old/o.$i
done
head -c 5 x.u32 > odd
cat x.u32 odd | gsort -t u32 --split 3 -o 'old/o.%d' || echo "exit $?"
cat old/o.*
ls old

# Invalid splits, and options that conflict with --split, give a line each and exit 2.
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
for pattern in new new.%s new.%d.%d new.%5 new%d/x new.%%d new.%n new.%099d - old/%d%; do
    refuse x.u32 --split 2 -o "$pattern"
done
for count in 0 257 x -1; do
    refuse x.u32 --split $count -o new.%d
done
for values in 5,4 5,5 5,y '' 5, 4294967296; do
    refuse x.u32 --split-at "$values" -o new.%d
done
refuse x.u32 --split-at "$(seq -s, 256)" -o new.%d
refuse x.u32 --split 2 --split-at 5 -o new.%d
refuse x.u32 --split 2 -u -o new.%d
refuse -m sorted.u32 --split 2 --where '>4' -o new.%d
cat sorted.u32 | refuse -m - -t u32 --split 2 -o new.%d
refuse -m sorted.u32 --split 2 --into new.%d
refuse x.u32 --split 2 --resume kept -o new.%d
refuse --check --split 2 x.u32
refuse --stats-only --split-at 2 x.u32
refuse x.u32 --argsort --split-at 2 -o new.%d
refuse n.npy --split-at 10 -o new%d.npy.zst
mkfifo fifo.1
refuse x.u32 --split 2 -o fifo.%d
ls new* kept 2>&1 | wc -l
