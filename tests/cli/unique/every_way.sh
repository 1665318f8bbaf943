# The same bytes whatever way data come and go, with counts and without.
need zstd
python3 - <<'P'
import collections, random, struct
random.seed(2)
values = [random.randrange(-30000, 30000) for i in range(250001)]
pack = struct.Struct('<i').pack
open('x.i32', 'wb').write(b''.join(map(pack, values)))
counts = sorted(collections.Counter(values).items())
open('want', 'wb').write(b''.join(pack(value) for value, count in counts))
open('want_counts', 'wb').write(b''.join(pack(value) + struct.pack('<Q', count) for value, count in counts))
open('head', 'wb').write(b'a header of 20 bytes')
P
cat head x.i32 >with_head
for count in "" --count; do
    want=want${count:+_counts}
    for way in "" "-S 24M --spill always --compress zstd" "--io threads --parallel 1 --window 4K"; do
        sort="gsort -u $count -t i32 $way"
        cp x.i32 there
        $sort there -o there
        cmp there $want || echo "in place, $count $way"
        cat x.i32 | $sort | cmp - $want || echo "pipes, $count $way"
        $sort --header 20 with_head -o got
        cmp got <(cat head $want) || echo "header, $count $way"
        $sort --header 20 with_head | cmp - <(cat head $want) || echo "header to a pipe, $count $way"
        printf before >got
        (cat >/dev/null; $sort x.i32; printf after) </dev/null >>got
        cmp got <(printf before; cat $want; printf after) || echo "append, $count $way"
        (printf before; $sort x.i32; printf after) >got
        cmp got <(printf before; cat $want; printf after) || echo "shared, $count $way"
        $sort --zstd x.i32 | zstd -qdc | cmp - $want || echo "zstd, $count $way"
        zstd -qf x.i32 with_head
        $sort --header 20 with_head.zst -o got.zst
        zstd -qdc got.zst | cmp - <(cat head $want) || echo "zstd to zstd, $count $way"
    done
done
gsort -c want -t i32 -q
