# Bins of equal width: in both reports, of a pipe; what cannot be is told in a line.
python3 -c 'import struct; open("x.u32", "wb").write(struct.pack("<12I", *range(11), 10))'
gsort --stats-only x.u32 --histogram 5 | sed -n '/histogram/,$p'
gsort -t u32 -o y.u32 --histogram 2 --stats=json <x.u32 2>&1 | grep -A 10 '"histogram"'
# -0 and 0 belong to the bin that begins with 0, of whatever width, as numpy.histogram has it.
for type in f32 f64; do
    python3 -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<6' + sys.argv[1], -1, -0.5, -0.0, -0.0, 0.0, 1))" \
        "$([ $type = f32 ] && echo f || echo d)" >zeros.$type
    gsort --stats-only zeros.$type --histogram 2 | awk '/histogram/ { is_it = 1 } is_it { print $NF }' | xargs
done
# Equal elements are in the middle bin, as in numpy.histogram, and so is the greatest of a type, with and without a
# sort.
python3 -c 'import struct; open("equal.f64", "wb").write(struct.pack("<3d", 7, 7, 7)); open("most.u32", "wb").write(b"\xff" * 8)
open("equal.i32", "wb").write(struct.pack("<2i", -3, -3))'
for file in equal.f64 equal.i32 most.u32; do
    gsort --stats-only $file --histogram 4 | sed -n '/histogram/,$p' | tee seen
    for way in "" -r; do
        gsort $way $file -o /dev/null --histogram 4 2>&1 | sed -n '/histogram/,$p' | cmp - seen
    done
done
# A number too large for a double belongs where it is, not where its double would be.
python3 -c 'import struct; open("wide.u64", "wb").write(struct.pack("<4Q", 0, 2**63 - 1, 2**63, 2**64 - 1))'
gsort --stats-only wide.u64 --histogram 2 | awk '/histogram/ { is_it = 1 } is_it { print $NF }' | xargs
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
for bins in '' 0 -1 1025 4294967297 18446744073709551616 x; do
    refuse x.u32 -o out --histogram "$bins"
done
refuse --histogram 5 --top 3 x.u32 -o out
refuse --histogram 5 -m x.u32 -o out
refuse --histogram 5 -R 4 -k 0:b4 x.u32 -o out
refuse --histogram 5 --check x.u32
cat x.u32 | refuse -t u32 --stats-only --histogram 5 -
[ ! -e out ]
