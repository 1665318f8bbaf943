# --find says if a type was assumed. It refuses bounds in the wrong order, and files that are not sorted, as far as it
# reads them. With -o, the output must be within the bounds.
refuse() {
    local code=0
    gsort "$@" > out || code=$?
    [ $code -eq 2 ] && [ ! -s out ] || echo "$*: exit $code"
}
write() { # TYPE NUMBER...: as struct has it
    python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack(f"<{len(sys.argv) - 2}" + sys.argv[1], *map(float if sys.argv[1] in "fd" else int, sys.argv[2:])))' "$@"
}

# An assumed type, also where nothing is found.
write q -5 -3 0 8 9 > plain
refuse --find 3 plain
refuse -m --find 8.. plain -o new
cp plain plain.i64
gsort --find 3 plain.i64
gsort -t i64 --find 8.. plain
write q 3 5 8 > plain
for value in 1 4 5 9; do
    gsort --find $value plain
done
gsort -m --find 4 plain -o none
wc -c < none

# Bounds.
write d -inf -1 -0.0 0 0 7 inf nan > x.f64
for range in 3..1 0x10..0xf 7..-0.5 inf..-inf nan..7 7..nan; do
    refuse --find $range x.f64
done
refuse -t i64 --find 0x10..0xf x.f64
refuse -r --find 3..1 x.f64
refuse -m --find 3..1 x.f64 -o new
refuse -R 8 -k 0:b3 --find b..ab x.f64
refuse -R 8 -k 0:b3 --find 0x6161..0x6100ff x.f64
refuse -R 16 -k 0:u128 --find 0x100000000000000000000..0xffffffffffffffffff x.f64
for range in 3..3 0..-0.0 -0.0..0 -inf..inf inf..inf; do
    echo $range $(gsort --find=$range x.f64)
done
# One value that is shorter than the key; a range of such is fine, and so is text, which NULs fill up.
printf 'a\0b\0c\0\1\0' >keys
for keys in '' '-k 0:b2' '-k 0:b2 -k 2:b2'; do
    refuse -R 4 $keys --find 0x61 keys
    gsort -R 4 $keys --find 0x61..0x62 keys
done
refuse -R 4 -r -k 0:b2:desc --find 0x61 keys
gsort -R 4 -k 0:b1 --find 0x61 keys
gsort -R 4 -k 0:b2 --find 0x6100 keys
gsort -R 4 -k 0:b2 --find a keys
gsort -R 4 -k 0:uint8 --find 0x061 keys
echo $(gsort -R 8 -k 0:b3 --find a..0x610000 x.f64) $(gsort -R 8 -k 0:b3 --find 0x610000..a x.f64)
ls new 2>/dev/null || :

# Disorder in a block, between blocks that are read, and between the ends.
python3 - <<'P'
import array
def write(name, numbers):
    array.array('I', numbers).tofile(open(name, 'wb'))
one = list(range(1, 1025))
write('first.u32', [5000] + one[1:])
write('last.u32', one[:-1] + [0])
many = list(range(102400))
write('rotated.u32', many[51200:] + many[:51200])
write('falling.u32', many[::-1])
write('ups.u32', [x // 1024 * 1024 + 1023 - x % 1024 for x in many])
write('downs.u32', [102399 - (x // 1024 * 1024 + 1023 - x % 1024) for x in many])
middle = many[:]
middle[50 * 1024:51 * 1024] = [1 << 31] * 1024
write('middle.u32', middle)
quarter = many[:]
quarter[25 * 1024:26 * 1024] = range(60000, 61024)
write('quarter.u32', quarter)
P
for file in first last rotated falling ups downs middle quarter; do
    for value in 7 200 70000 70000..; do
        refuse --find $value $file.u32
    done
    refuse -m --find 100..200 $file.u32 -o new
    refuse -m --find 100..200 $file.u32 --explain
done 2>&1 | sort | uniq -c
refuse --range 1000: --find 70000 rotated.u32
ls new 2>/dev/null || :
gsort -r --find 70000 falling.u32
gsort --range 51200: --find 7 rotated.u32

# Somebody writes to the file once it was searched: gsort stops itself before it takes the output's room.
python3 - <<'P'
import array, os, subprocess
for at, value in (100, 5), (200, 999):
    numbers = array.array('I', range(1000))
    numbers.tofile(open('x.u32', 'wb'))
    child = subprocess.Popen(['gsort-faults', '-m', '--find', '100..200', 'x.u32', '-o', 'new'], env=dict(os.environ, GSORT_FAULTS='space:1=19'),
                             start_new_session=True)  # see kill_and_resume.py
    os.waitid(os.P_PID, child.pid, os.WSTOPPED)
    numbers[at] = value
    numbers.tofile(open('x.u32', 'wb'))
    child.send_signal(18)
    print(child.wait(), os.path.exists('new'))
P
