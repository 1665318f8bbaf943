# --header skips the first bytes of every input, and copies those of the first one, for every kind of input and
# output.
need zstd
python3 - <<'P'
import random, struct
random.seed(7)
values = [random.getrandbits(32) for i in range(100001)]
pack = lambda v: struct.pack('<%dI' % len(v), *v)
for n in 1, 12, 128, 4096, 100001, 1 << 20:
    first, second = bytes(random.randrange(256) for i in range(n)), bytes(n)
    open('a%d' % n, 'wb').write(first + pack(values[:70000]))
    open('b%d' % n, 'wb').write(second + pack(values[70000:]))
    open('want%d' % n, 'wb').write(first + pack(sorted(values)))
    open('small%d' % n, 'wb').write(first)
P
for n in $(sized "1 12 128 4096 100001 1M" "12 4096 100001 1M"); do
    bytes=${n/1M/1048576}
    zstd -q -1 a$bytes b$bytes
    for way in "" "-S 20M --spill always --chunk 64K" "--io threads --parallel 1"; do
        sort="gsort -t u32 --header $n $way"
        $sort a$bytes b$bytes -o got
        cmp got want$bytes || echo "$n $way"
        cat a$bytes | $sort - b$bytes | cmp - want$bytes || echo "pipe, $n $way"
        $sort <(cat a$bytes) <(cat b$bytes) >got
        cmp got want$bytes || echo "pipes, $n $way"
        printf before >got
        $sort a$bytes b$bytes >>got
        cmp got <(printf before; cat want$bytes) || echo "append, $n $way"
        (printf before; $sort a$bytes b$bytes; printf after) >got
        cmp got <(printf before; cat want$bytes; printf after) || echo "shared, $n $way"
        $sort a$bytes.zst b$bytes.zst --zstd | zstd -qdc | cmp - want$bytes || echo "zstd, $n $way"
        $sort a$bytes <(cat b$bytes.zst) -o got
        cmp got want$bytes || echo "mixed, $n $way"
    done
    # In place, and nothing but a header.
    gsort -t u32 --header $n small$bytes -o small$bytes
    [ "$(stat -c %s small$bytes)" = $bytes ] || echo "$n: a header alone"
    cp a$bytes sorted
    gsort -t u32 --header $n sorted -o sorted
    gsort -t u32 --header $n --check sorted
    [ "$(gsort -t u32 --header $n --stats-only sorted | grep sum)" = "$(gsort -t u32 --header $n --stats-only <a$bytes | grep sum)" ]
done
