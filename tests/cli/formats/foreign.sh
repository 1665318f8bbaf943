# Formats of other programs are refused by name, as a file, as a stream and packed by zstd, in every verb; --raw sorts
# them as they are; and what only looks a little like them is sorted.
python3 - <<'P'
import bz2, gzip, io, lzma, sqlite3, zipfile
def put(name, data):
    open(name, 'wb').write(data + bytes(-len(data) % 8))
numbers = b''.join(i.to_bytes(8, 'little') for i in range(1000))
put('gzip', gzip.compress(numbers))
put('xz', lzma.compress(numbers))
put('bzip2', bz2.compress(numbers))
put('bzip2.empty', bz2.compress(b''))
put('lz4', bytes.fromhex('04224d1864 40 a7'.replace(' ', '')) + numbers)
for name, member in ('zip', 'numbers.bin'), ('npz', 'arr_0.npy'):
    with zipfile.ZipFile(name, 'w') as file:
        file.writestr(member, numbers)
    put(name, open(name, 'rb').read())
put('7z', b"7z\xbc\xaf'\x1c" + numbers)
put('parquet', b'PAR1\x15\x04\x15' + numbers)
put('arrow', b'ARROW1\0\0' + numbers)
put('hdf5', b'\x89HDF\r\n\x1a\n' + numbers)
with sqlite3.connect('sqlite') as base:
    base.execute('create table numbers(number)')
put('csv', b'time,price\r\n' + b'12:00:00,1.5\r\n' * 300)
put('json', '{"naïve": [1, 2, 3],\n'.encode() * 400)
put('numbers.txt', b'17\n-3\n99\n1234567\n' * 2)
text = 'Größe und Gewicht aller Teile, die am Lager sind\n\n' + 'Größe;Maße;Straße\n12;1,5;Äußere\n' * 20
open('latin1', 'wb').write(text.encode('latin-1'))
open('utf16', 'wb').write(text.encode('utf-16'))
open('utf16be', 'wb').write(b'\xfe\xff' + ('\u4f60\u597d, \U0001f600\n' * 9 + text).encode('utf-16-be'))
open('utf16.plain', 'wb').write(text.encode('utf-16-le'))
open('utf16be.plain', 'wb').write(text.encode('utf-16-be'))
open('u16', 'wb').write(b''.join(((7 * i + 10) % 200).to_bytes(2, 'little') for i in range(4000)))
open('short.txt', 'w').write('1234567\n')
P
sed -i 's/\x00*$//' csv json numbers.txt
for format in gzip xz bzip2 bzip2.empty lz4 zip npz 7z parquet arrow hdf5 sqlite csv json numbers.txt short.txt latin1 utf16 utf16be utf16.plain utf16be.plain; do
    code=0
    gsort -t u64 $format -o out 2>file || code=$?
    [ "$code $(wc -l <file)" = "2 1" ] && [ ! -e out ] || echo "$format: exit $code"
    cat file
    for way in "" --stats-only --check -m; do
        code=0
        cat $format | gsort -t u64 $way 2>stream >/dev/null || code=$?
        [ $code = 2 ] && cmp -s <(sed "s/'$format'/'standard input'/" file) stream || { echo "$format, $way: exit $code" && cat stream; }
    done
    gsort -t u64 --head 1 $format 2>&1 | cmp -s - file || echo "$format: --head shows it"
    zstd -q $format -o packed.zst
    gsort -t u64 packed.zst -o out 2>packed || :
    cmp -s <(sed "s/'$format'/'packed.zst'/" file) packed || { echo "$format, packed:" && cat packed; }
    rm packed.zst
    [ $(($(stat -c %s $format) % 8)) -ne 0 ] || gsort -t u64 --raw $format -o out
    rm -f out
done

echo "-- what is sorted"
printf 'line 1\nline 3\nline 2\n' >lines
gsort -R 7 lines
{ cat csv && head -c 6 /dev/zero; } >csv.and.more
bytes=$(stat -c %s csv)
gsort --header "$bytes" -R 2 csv.and.more | cmp - csv.and.more
printf 'PAR1\0\0\0\0\37\213\10\0\0\0\0\7BZh9\0\0\0\0\4"M\30\377\0\0\0PK\3\4\0\0\0\377' >looks
for skip in 0 8 16 24 32; do
    tail -c +$((skip + 1)) looks | gsort -t u64 | wc -c
done
gsort -t u16 u16 | wc -c
for kind in latin1 utf16; do
    gsort -R 2 $kind | wc -c | cmp - <(stat -c %s $kind)
done
printf 'abcdefgh' | gsort -t u64 && echo
yes 'ACGT' | tr -d '\n' | head -c 8000 | gsort -t u32 | wc -c
