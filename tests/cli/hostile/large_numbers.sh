# Numbers near 2^63 and 2^64 in options, headers and sizes of files.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort --version | grep -q cuda && gpu=("--device-memory 18446744073709551615") || gpu=()
for arguments in "${gpu[@]}" "-S 18446744073709551615" "-S 16777215T" "--top 18446744073709551615" "--chunk 9223372036854775807" \
    "--top 18446744073709551615 -R 8" "--top 9223372036854775808 -R 16"; do
    gsort -q $arguments x -o out
    [ "$(stat -c %s out)" = 65536 ] || echo "$arguments: an output of $(stat -c %s out)"
done
for arguments in "-S 18446744073709551616" "--header 9223372036854775807" "--window 18446744073709551615" \
    "--top 18446744073709551616" "-R 18446744073709551615" "-R 8 -k 4294967296:uint8" "-R 8 -k 18446744073709551615:uint8" \
    "--parallel 4294967297" "--batch-size 18446744073709551615"; do
    code=0
    gsort -q $arguments x -o never || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
for count in 9223372036854775807 9223372036854775808 1152921504606846976 18446744073709551615; do
    python3 - $count <<'P' >x.npy
import sys
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }" % sys.argv[1]
text += ' ' * (117 - len(text)) + '\n'
sys.stdout.buffer.write(b'\x93NUMPY\x01\x00' + len(text).to_bytes(2, 'little') + text.encode() + bytes(16))
P
    code=0
    gsort x.npy -o never || code=$?
    [ $code -eq 2 ] || echo "$count: exit $code"
done
truncate -s 15T huge.u64 2>/dev/null || truncate -s 1T huge.u64 # as large as files may be here
for way in "" "-m" "-u --count" "-S 8G" "--batch-size 2"; do
    code=0
    gsort -t u64 $way huge.u64 -o never 2>message || code=$?
    [ $code -eq 3 ] && grep -q 'needs [0-9]* bytes' message || { echo "$way: exit $code"; cat message; }
done
[ ! -e never ]
