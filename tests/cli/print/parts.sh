# The first and the last ones, from files, standard input, pipes and packed files, whatever their number.
gsort-gen --type u64 --dist uniform --count 20001 -o x.u64
gsort -t u64 --head 100000 x.u64 >all
[ "$(wc -l <all)" -eq 20001 ] || echo "not all were printed"
gsort-gen --type u64 --dist uniform --count 20001 | zstd -q >packed.u64.zst

# wanted HEAD TAIL: from `all`, as it has to be.
wanted() {
    local left=$((20001 - $1)) tail=$2
    [ $left -gt 0 ] || left=0
    head -n "$1" all
    [ "$1" -eq 0 ] || [ "$tail" -eq 0 ] || [ $left -le "$tail" ] || echo ...
    tail -n $((left < tail ? left : tail)) all
}
for head in $(sized "0 1 8192 8193 20000 20001" "0 8193 20001"); do
    for tail in $(sized "0 1 7 8192 8193 19999 20001" "0 7 8192 20001"); do
        wanted $head $tail >want
        gsort -t u64 --head $head --tail $tail x.u64 | cmp - want
        gsort -t u64 --head $head --tail $tail <x.u64 | cmp - want
        cat x.u64 | gsort -t u64 --head $head --tail $tail | cmp - want
        gsort -t u64 --head $head --tail $tail packed.u64.zst | cmp - want
        gsort -t u64 --head $head --tail $tail < <(cat packed.u64.zst) | cmp - want
    done
    wanted $head 0 >want
    gsort -t u64 --head $head x.u64 | cmp - want
    tail -n $head all >want
    gsort -t u64 --tail $head x.u64 | cmp - want
    cat x.u64 | gsort -t u64 --tail $head - | cmp - want
done
gsort -t u64 --head 1 --tail 1 --json x.u64 | wc -l

# Standard input is read from its position; a header is no element; a named FIFO keeps its writer.
{ head -c 80 >skipped && gsort -t u64 --head 2; } <x.u64 | cmp - <(sed -n 11,12p all)
{ head -c 80 >skipped && gsort -t u64 --tail 2; } <x.u64 | cmp - <(tail -n 2 all)
gsort -t u64 --header 16 --head 2 --tail 1 x.u64 | cmp - <(sed -n 3,4p all && echo ... && tail -n 1 all)
cat x.u64 | gsort -t u64 --header 16 --head 2 --tail 1 | cmp - <(sed -n 3,4p all && echo ... && tail -n 1 all)
mkfifo fifo.u64
cat x.u64 >fifo.u64 &
gsort -t u64 --tail 3 fifo.u64 | cmp - <(tail -n 3 all)
wait $!
gsort --head 4 <(cat x.u64) -t u64 | cmp - <(head -n 4 all)

# Nothing is to be printed of nothing.
: >empty.u64
gsort -t u64 --head 3 --tail 3 empty.u64
gsort --head 3 --tail 3 -t u64 <empty.u64
cat empty.u64 | gsort --head 3 --tail 3 -t u64

# A reader that has seen enough ends it.
gsort-gen --dist sorted --type u32 --size 4M | gsort -t u32 --head 1M | head -n 1
# Data from a pipe, and compressed data, must be as long as their header says, as far as they are read.
python3 - <<'P'
import struct
text = "{'descr': '<u4', 'fortran_order': False, 'shape': (6,), }"
text += ' ' * (117 - len(text)) + '\n'
head = b'\x93NUMPY\x01\x00' + len(text).to_bytes(2, 'little') + text.encode()
for name, count in ('short', 4), ('right', 6), ('long', 7):
    open(name + '.npy', 'wb').write(head + struct.pack(f'<{count}I', *range(count)))
P
for name in short right long; do
    zstd -q $name.npy
    for way in "--head 3" "--head 9" "--tail 1" "--head 2 --tail 1"; do
        for input in $name.npy.zst -; do
            code=0
            # shellcheck disable=SC2086
            gsort $way $input <$name.npy.zst >out 2>err || code=$?
            echo "$name $way: $code: $(xargs <out) $(sed 's/.*: //' err)"
        done
    done
done
