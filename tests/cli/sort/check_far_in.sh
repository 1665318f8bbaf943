# A disorder in the second file, far behind several windows, and across the border of two files.
gsort-gen --dist sorted --type u64 --count 1000000 -o a.u64
python3 - <<'P'
import struct
data = bytearray(open('a.u64', 'rb').read())
open('b.u64', 'wb').write(data)
data[8 * 777777:8 * 777778] = bytes(8)
open('c.u64', 'wb').write(data)
P
for files in "a.u64" "a.u64 c.u64" "c.u64" "b.u64 a.u64"; do
    code=0
    gsort -c $files 2>err || code=$?
    echo "$files: exit $code $(cut -d' ' -f1-4 err)"
done
