# --drop-header skips headers, and the output has none, for every kind of input and output.
need zstd
python3 - <<'P'
import random, struct
random.seed(11)
values = [random.getrandbits(32) for i in range(60000)]
pack = lambda v: struct.pack('<%dI' % len(v), *v)
for n in 12, 4096, 1 << 20:
    open(f'a{n}', 'wb').write(bytes(random.randrange(256) for i in range(n)) + pack(values[:40000]))
    open(f'b{n}', 'wb').write(bytes(n) + pack(values[40000:]))
open('want', 'wb').write(pack(sorted(values)))
head = b"\x93NUMPY\x01\x00" + struct.pack('<H', 118) + b"{'descr': '<u4', 'fortran_order': False, 'shape': (60000,), }".ljust(117) + b'\n'
open('x.npy', 'wb').write(head + pack(values))
P
same() {
    cmp "$1" want || echo "$2"
}
for n in 12 4096 1048576; do
    zstd -q -1 a$n b$n
    for way in "" "-S 20M --spill always --chunk 64K" "--verify read"; do
        sort="gsort -t u32 --header $n --drop-header $way"
        $sort a$n b$n -o got && same got "$n $way"
        cat a$n | $sort - b$n -o got && same got "pipe, $n $way"
        $sort a$n.zst b$n.zst --zstd -o got && zstd -qdc <got | same - "zstd, $n $way"
    done
    gsort -t u32 --header $n a$n -o sa$n && gsort -t u32 --header $n b$n -o sb$n
    merge="gsort -t u32 --header $n --drop-header -m"
    $merge sa$n sb$n -o got && same got "merge, $n"
    $merge <(cat sa$n) sb$n >got && same got "merge of a pipe, $n"
    $merge <(zstd -qc sa$n) sb$n >got && same got "merge of what is packed, $n"
    $merge sa$n sb$n --part 1/2 --into into && $merge sa$n sb$n --part 2/2 --into into && same into "into, $n"
    rm into
    gsort -t u32 --header $n --drop-header a$n b$n --split 3 -o part.%d && cat part.[123] | same - "split, $n"
    cp a$n kept && gsort -t u32 --header $n --drop-header kept b$n -o kept && same kept "in place, $n"
done
# A .npy file gives plain data.
gsort --drop-header x.npy -o got && same got .npy
gsort --drop-header -m <(gsort x.npy) >got && same got ".npy, merged from a pipe"
[ "$(gsort --drop-header -u --count x.npy | wc -c)" = $((60000 * 12)) ] || echo "counts"
refused() {
    local code=0
    gsort "$@" >y || code=$?
    [ $code -eq 2 ] && [ ! -s y ] || echo "$*: exit $code"
    rm -f y
}
refused --drop-header want -t u32 -o got
refused --drop-header x.npy -o y.npy
refused --header 12 --drop-header -t u32 a12 -o y.npy
refused --drop-header --check --header 12 a12
