# A key of the same field can decide nothing, so it is refused, whatever its direction and however it is spelled.
printf '%s' abcdefghijklmnopqrstuvwx >r
python3 - <<'P'
head = b"{'descr': [('a', '<u4'), ('b', '<f4')], 'fortran_order': False, 'shape': (2,), }"
open('x.npy', 'wb').write(b'\x93NUMPY\x01\x00v\x00' + head.ljust(117) + b'\n' + bytes(16))
table = b"{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2), }"
open('t.npy', 'wb').write(b'\x93NUMPY\x01\x00v\x00' + table.ljust(117) + b'\n' + bytes(16))
P
try() {
    gsort "$@" -o out || echo "exit $?"
}
try -R 12 -k 0:u32 -k 4:u32 -k 0:u32 r
try -R 12 -k 0:u32 --key 0:uint32:desc r
try -R 12 -k 0:uint8 -k 0:u1 r
try -R 12 -k 0:b4 -k 0:b4:asc r
try -R 12 -k 0:u32:descending -k 0:u32 r
try x.npy -k a -k b -k a:desc
try x.npy -k a -k 0:u32
try t.npy -k 1 -k 1
# Other fields of the same place, and of the same bytes, are other keys.
for keys in "-k 0:u32 -k 0:u32be" "-k 0:u32 -k 0:i32" "-k 0:b4 -k 0:b5" "-k 0:u32 -k 4:u32" ""; do
    # shellcheck disable=SC2086
    gsort -R 12 $keys r -o out
done
gsort x.npy -o out
