# -0 and 0 are two groups, each with its count. This holds for numbers and records, with counts, with --keep, in statistics and in
# sorts that spill.
for type in f16 f32 f64; do
    python3 -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<7' + sys.argv[1], 0, -0.0, 1, -0.0, 0, -1, -0.0))" \
        "$([ $type = f16 ] && echo e || { [ $type = f32 ] && echo f || echo d; })" >x.$type
    bytes=${type#f}
    bytes=$((bytes / 8))
    for way in "" "--spill always -S 16M"; do
        for keys in "" "-R $bytes -k 0:$type"; do
            gsort -q -u $keys $way x.$type -o got
            gsort -t $type --head 9 got | xargs
            gsort -q -u --keep dups $keys $way x.$type -o got
            gsort -t $type --head 9 got | xargs
            gsort -q -u --count $keys $way x.$type -o got
            gsort -R $((bytes + 8)) -k 0:$type -k $bytes:u64 --head 9 got | xargs
        done
        gsort x.$type -o got $way --mode --distinct --stats 2>&1 | grep -E '^(distinct|mode)' | xargs
    done
done | sort | uniq -c | sed 's/^ *//'
# The sum of nothing but -0 is -0, and is verified as such.
printf '\1\0\0\0\0\0\0\200\2\0\0\0\0\0\0\200\1\0\0\0\0\0\0\200' >negative
for way in "" "--spill always" ":wide"; do
    sum=4:f32
    [ "$way" != :wide ] || sum=4:f32:wide
    # shellcheck disable=SC2086
    gsort -q -R 8 -k 0:u32 -u --sum $sum ${way#:wide} negative -o got
    od -An -tx1 -v -w8 got | head -1 | sed 's/^ //'
done
