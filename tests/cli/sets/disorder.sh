# Each operation notices a file that is not sorted, whichever it is, also if the first one is empty and with --top 0.
numbers() { python3 -c 'import struct, sys; sys.stdout.buffer.write(b"".join(struct.pack("<I", int(x)) for x in sys.argv[1:]))' "$@"; }
numbers >empty.u32
numbers 1 2 3 7 9 >sorted.u32
numbers 1 5 3 7 9 >odd.u32
for set in all union intersect except semi anti xor; do
    for options in "-o no" "-o no --top 0" "-o no --top 1" "-o no -u" "-o no -u --top 0" --stats-only "-R 4 -k 0:u32 -o no"; do
        for files in "odd.u32 sorted.u32" "sorted.u32 odd.u32" "empty.u32 odd.u32" "empty.u32 sorted.u32 odd.u32"; do
            code=0
            # shellcheck disable=SC2086
            gsort --merge=$set $options $files >/dev/null 2>line || code=$?
            [ $code -eq 2 ] && grep -q "^gsort: 'odd.u32': is not sorted: element 2 is less than its predecessor" line ||
                echo "--merge=$set $options $files: exit $code: $(cat line)"
        done
    done
done
[ ! -e no ]
# Sorted files pass.
for set in all union intersect except semi anti xor; do
    for options in "" "--top 0" "-u --top 0"; do
        # shellcheck disable=SC2086
        gsort --merge=$set $options empty.u32 sorted.u32 empty.u32 -o out && gsort --merge=$set $options sorted.u32 sorted.u32 -o out
    done
done
