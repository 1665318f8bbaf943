# After a mark at the end of a frame (2,040 numbers), the sort continues with the next frame, and does not read that
# one again.
python3 - <<'P'
import struct
first = [v for v in range(8300) if v % 256 != 255][:8192]  # 2,040 of each window of 2,048
runs = first + [256 * i + 255 for i in range(8192)] + list(range(10 ** 9, 10 ** 9 + 24576))
open('in', 'wb').write(struct.pack('<%dQ' % len(runs), *runs))
open('want', 'wb').write(struct.pack('<%dQ' % len(runs), *sorted(runs)))
P
job="-t u64 in -o out --resume dir --chunk 64K --window 16K -S 12M --parallel 1 --compress none --io threads"
for call in $(seq 14 24); do
    rm -rf dir out
    # shellcheck disable=SC2086
    { GSORT_FAULTS=sync:$call=9 gsort-faults $job >/dev/null 2>&1 || :; } 2>/dev/null
    # shellcheck disable=SC2086
    gsort $job --stats=json >report
    cmp out want
    grep -E '"resumed_output_bytes"|^  "bytes_read"' report | tr -d '\n'
    echo
done | sort -u | grep -F '"resumed_output_bytes": 16384,'
