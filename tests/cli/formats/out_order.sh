# --out-order: the same numbers, sorted, in the other order of bytes, whatever way they go; checked by a program of its own.
need zstd
python3 - <<'P'
import random
random.seed(5)
for width in 1, 2, 4, 8, 16:
    open(f'x{width}', 'wb').write(random.randbytes(width * 50000))
P
# turn WIDTH: the bytes of each element, back to front
turn() {
    python3 -c 'import sys
width, data = int(sys.argv[1]), sys.stdin.buffer.read()
out = bytearray(len(data))
for i in range(width): out[i::width] = data[width - 1 - i::width]
sys.stdout.buffer.write(out)' "$1"
}
for type in uint8 i16 f16 u32 f32 i64 f64 time64 u128; do
    case $type in uint8) width=1 ;; *16) width=2 ;; *32) width=4 ;; *64) width=8 ;; *128) width=16 ;; esac
    for from in "" be; do
        case $from$type in beuint8 | beu128) continue ;; esac # big endian: none of 1 byte, of 16 none that is sorted as numbers
        sort="gsort -t $type$from"
        [ "$from" = be ] && to=little other=big || to=big other=little
        $sort x$width -o plain
        turn $width <plain >want
        for way in "" "-r" "--verify=read" "-S 12M --chunk 64K --spill always" "--parallel=1"; do
            [ "$way" = -r ] && { $sort -r x$width | turn $width >want.r; want=want.r; } || want=want
            $sort --out-order $to $way x$width -o got && cmp got $want || echo "$type$from $way"
        done
        $sort --out-order $to <x$width | cmp - want || echo "$type$from: pipe"
        $sort --out-order $to x$width --zstd --verify=read -o got && zstd -qdc <got | cmp - want || echo "$type$from: packed"
        $sort --out-order $other x$width | cmp - plain || echo "$type$from: as it was"
        $sort --out-order $to --top 777 x$width | cmp - <(head -c $((777 * width)) want) || echo "$type$from: top"
        $sort -m --out-order $to plain | cmp - want || echo "$type$from: merge"
        $sort -u x$width | turn $width | cmp - <($sort -u --out-order $to x$width) || echo "$type$from: unique"
        $sort --out-order $to --split 3 --verify=read x$width -o part.%d && cat part.[123] | cmp - want || echo "$type$from: split"
    done
done
# Nearly sorted data are written in one pass, except with --out-order. Data larger than memory are written once.
python3 -c 'import struct
open("far.i64", "wb").write(b"".join(struct.pack("<q", i ^ 5) for i in range(4 << 20)))'
gsort far.i64 -S 20M | turn 8 | cmp - <(gsort far.i64 -S 20M --out-order big)
gsort far.i64 -S 20M --out-order big -o far.i64be
gsort -c far.i64be
head -c 8 /dev/zero >>far.i64 # late
gsort far.i64 -S 20M -o plain --stats=json | grep -q '"in_order_bytes": 0,' && echo "nothing is written as it is read"
gsort far.i64 -S 20M --out-order big -o far.i64be
gsort -c far.i64be
# Names and headers say what is written.
gsort x8 -t i64 --out-order big -o y.i64be
gsort --out-order little y.i64be -o y.i64
gsort -t i64 x8 | cmp - y.i64
if numpy=$(numpy_python); then
    "$numpy" - <<'P'
import numpy, subprocess
for kind in "<f8", ">f8", "<M8[ms]", "|u1", ">i2":
    x = numpy.frombuffer(open("x8", "rb").read()[:8000], kind)
    numpy.save("a.npy", x)
    for order in "little", "big":
        subprocess.run(["gsort", "a.npy", "--out-order", order, "-o", "b.npy"], check=True)
        y = numpy.load("b.npy")
        wanted = x.dtype.newbyteorder("<" if order == "little" else ">")
        assert y.dtype == wanted, (kind, order, y.dtype)
        subprocess.run(["gsort", "a.npy", "-o", "c.npy"], check=True)
        assert (y.astype(x.dtype).tobytes() == numpy.load("c.npy").tobytes()), (kind, order)
P
else
    skip_part .npy "no NumPy"
fi
refused() {
    local code=0
    gsort "$@" >y || code=$?
    [ $code -eq 2 ] && [ ! -s y ] || echo "$*: exit $code"
    rm -f y
}
refused x8 -t i64 --out-order big -o y.i64
refused x8 -t i64 --out-order middle -o y
refused -R 8 -k 0:u64be x8 --out-order little -o y
refused x8 -t i64 --out-order big --argsort -o y
refused x8 -t i64 --out-order big -u --count -o y
refused x8 -t i64 --out-order big --resume kept -o y
refused -m plain -t u128 --out-order big --into y
refused -m plain -t u128 --out-order big --part 1/2 -o y
refused x8 -t i64 --out-order big --check
# A header that says no order of numbers of several bytes says one afterwards.
python3 - <<'P'
text = "{'descr': '|u2', 'fortran_order': False, 'shape': (2,), }"
text += ' ' * (117 - len(text)) + '\n'
open('none.npy', 'wb').write(b'\x93NUMPY\x01\x00' + len(text).to_bytes(2, 'little') + text.encode() + bytes([6, 0, 5, 0]))
P
for order in "big >u2" "little <u2"; do
    gsort none.npy --out-order "${order% *}" -o turned.npy
    grep -qa "'${order#* }'" turned.npy || echo "$order: the header says something else"
    [ "$(gsort --head 9 turned.npy | xargs)" = "5 6" ] || gsort --head 9 turned.npy
done
head -c 32000 plain >even
gsort -q -t u128 even --out-order big -o turned.npy
grep -qa "'|V16'" turned.npy || echo "numbers of 16 bytes have an order in the header"
