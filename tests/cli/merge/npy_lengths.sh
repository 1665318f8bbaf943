# A .npy stream that holds more or fewer elements than its header says: found, and nothing is written.
cp "$CASES/../formats/npy.py" .
python3 - <<'P'
import struct, npy
for name, said, held in (('whole', 300000, 300000), ('more', 150000, 900000), ('fewer', 300000, 200000)):
    with open(name + '.npy', 'wb') as file:
        file.write(npy.header("'<u8'", said) + struct.pack('<%dQ' % held, *range(held)))
P
printf old >out.npy
for name in more fewer; do
    for way in "" "--window 4K --io threads" "-S 16M --window 64K"; do
        code=0
        timeout 60 gsort -m whole.npy - -o out.npy $way < <(cat $name.npy) || code=$?
        [ $code -eq 2 ] || echo "$name $way: exit $code"
        [ "$(cat out.npy)" = old ] || echo "$name $way: the output changed"
    done
done
