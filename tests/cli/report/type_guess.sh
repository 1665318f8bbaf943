# A note shows the first numbers of a file without a type. It is a warning, also with -q, if they look like a type of another
# order than u64.
write() { # TYPE NUMBER...: as struct has it
    python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack(f"<{len(sys.argv) - 2}" + sys.argv[1], *map(float if sys.argv[1] in "fd" else int, sys.argv[2:])))' "$@"
}
write Q 3 1 2 4 >u64
write d 1 2 -3.5 4 >f64
write f 1 2 3 4 5 6 7 8 >f32
write I 1 2 3 4 5 6 7 8 >u32
write i 1 2 3 4 5 6 7 -8 >i32
write q 5 -3 7 9 >i64
# shellcheck disable=SC2046
write Q $(seq 1700000000 1700000015) >times
for file in u64 f64 f32 u32 i32 i64 times; do
    for quiet in '' -q; do
        # The last part of the path must say no type.
        cp $file plain
        # shellcheck disable=SC2086
        gsort $quiet plain -o out 2>&1
    done
done
cp f64 plain
for how in --stats-only --check '--head 1' '--find 1..2' '-m -o out'; do
    # shellcheck disable=SC2086
    gsort -q $how plain 2>&1 >/dev/null || echo "exit $?"
done
write d 1 2 3 4 >plain
gsort -q --find 1..2 plain 2>&1
cp f64 plain
echo "-- after a header, of several, of a stream, and of compressed data"
{
    printf header--
    cat f64
} >ahead
gsort -q --header 8 ahead -o out
cp u64 other
gsort -q plain other -o out
gsort --region 8:16 plain -o out
gsort --range 3: plain -o out
gsort <plain -o out
gsort - -o out < <(cat plain)
zstd -q plain
gsort plain.zst -o out
echo "-- nothing: with a type, -C, records, or no note wanted"
gsort -t u64 plain -o out
gsort -C plain || echo "exit $?"
gsort -R 8 plain -o out
gsort -q --stats=json plain >out 2>report
python3 -c 'import json; print(*json.load(open("report"))["notes"])'
gsort -q -m plain --stats=json >out || echo "exit $?"
