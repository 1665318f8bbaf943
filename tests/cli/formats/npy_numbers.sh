# Arrays of every type of number, byte order and version, in every way they may come: sorted, with the header that
# NumPy would write.
numpy=$(numpy_python) || skip_part "what NumPy reads" "no NumPy"
python3 - "$(sized 10000 5000)" <<'P'
import os, random, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
random.seed(3)
for code, kind, bits in (('I', 'u', 32), ('i', 'i', 32), ('Q', 'u', 64), ('q', 'i', 64), ('H', 'u', 16), ('h', 'i', 16), ('f', 'f', 32), ('d', 'f', 64)):
    for order in '<', '>':
        low = 0 if kind == 'u' else -(1 << bits - 1)
        values = [random.gauss(0, 1e6) if kind == 'f' else random.randrange(low, low + (1 << bits)) for i in range(int(sys.argv[1]))]
        pack = struct.Struct(order + code)
        values = [pack.unpack(pack.pack(value))[0] for value in values]
        name = '%s%s%d' % ('le' if order == '<' else 'be', kind, bits // 8)
        descr = repr('%s%s%d' % (order, kind, bits // 8))
        version = 1 + len(os.listdir('.')) // 3 % 3
        npy.write(name + '.in.npy', descr, values, pack.pack, version)
        npy.write(name + '.up', descr, sorted(values), pack.pack, version)
        npy.write(name + '.down', descr, sorted(values, reverse=True), pack.pack, version)
for n in 0, 1, 2:
    npy.write('n%d.in.npy' % n, "'<f8'", [1.5] * n, struct.Struct('<d').pack)
    npy.write('n%d.up' % n, "'<f8'", [1.5] * n, struct.Struct('<d').pack)
    npy.write('n%d.down' % n, "'<f8'", [1.5] * n, struct.Struct('<d').pack)
P
for input in *.in.npy; do
    name=${input%.in.npy}
    for way in "" "--spill always -S 16M" "--io threads --parallel 1"; do
        gsort $input -o got $way
        cmp got $name.up || echo "$input $way"
        cat $input | gsort -r $way | cmp - $name.down || echo "pipe, $input $way"
        cp $input there
        gsort there -r -o there $way
        cmp there $name.down || echo "in place, $input $way"
    done
    gsort --check $name.up
    gsort --check -r $name.down
done
[ -z "$numpy" ] || "$numpy" "$CASES/npy.py" check ./*.up # and so all that equals them
# A type without an order of bytes is in that of the machine, and the output's header says so; --out-order says another one.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
npy.write('plain.npy', "'i4'", [3, -1, 2], struct.Struct('<i').pack)
npy.write('want.npy', "'i4'", [-1, 2, 3], struct.Struct('<i').pack)
npy.write('want_big.npy', "'>i4'", [-1, 2, 3], struct.Struct('>i').pack)
P
gsort plain.npy -o got.npy
cmp got.npy want.npy
gsort --out-order=big plain.npy -o got.npy
cmp got.npy want_big.npy
gsort plain.npy lei4.in.npy >both.npy
gsort lef8.in.npy --stats-only --stats=json | grep '"type'
gsort bef8.in.npy --stats-only | grep -E 'type|field'
[ "$(gsort bef8.in.npy --stats-only | grep -E 'min|max')" = "$(gsort bef8.up --stats-only | grep -E 'min|max')" ]
