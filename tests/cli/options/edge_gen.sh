# gsort-gen, at the edges of 32, 63 and 64 bits: what fits is written whole; what no file or disk can hold is refused,
# before anything is written.
for size in 0 8 4294967295 4294967296 9223372036854775800 9223372036854775807 9223372036854775808 18446744073709551608 \
    18446744073709551615 18446744073709551616 1T 1P 1E 8E 15E 16E 2048P; do
    for type in u32 u64 u128; do
        for option in --size --count; do
            code=0
            case $size-$option in
            4294967296-* | 4294967295-*) timeout 60 gsort-gen -d uniform -t $type $option $size 2>err | head -c 64 >out || code=$? ;;
            *) timeout 60 gsort-gen -d uniform -t $type $option $size -o out 2>err || code=$? ;;
            esac
            case $code in
            0) [ -e out ] || echo "$type $option $size: no output" ;;
            2 | 3) [ "$(wc -l <err)" -eq 1 ] && [ ! -e out ] || { echo "$type $option $size: exit $code" && cat err; } ;;
            *) echo "$type $option $size: exit $code:" && cat err ;;
            esac
            rm -f out
        done
    done
done
