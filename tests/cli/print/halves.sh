# Every f16 and bf16 is printed as the shortest decimal that reads back as it, f16 as NumPy has it; in reports, too.
python3 - <<'P'
import struct
open('all.f16', 'wb').write(b''.join(struct.pack('<H', i) for i in range(1 << 16)))
open('tenth.f16', 'wb').write(struct.pack('<e', 0.1))
open('tenth.bf16', 'wb').write(struct.pack('<f', 0.1)[2:])
powers = [sign * 2.0 ** i for i in range(-1074, 1024) for sign in (1, -1)]
open('powers.f64', 'wb').write(struct.pack('<%dd' % len(powers), *powers))
P
cp all.f16 all.bf16
for type in f16 bf16; do
    gsort --head 65536 all.$type >$type.text
    gsort --head 1 tenth.$type
    gsort --stats-only --quantiles median tenth.$type | grep -E '^(min|max|median|p0)'
done
gsort --head 5000 powers.f64 >powers.text
numpy=$(numpy_python) || skip_part "as NumPy prints" "no NumPy"
"${numpy:-python3}" - <<'P'
import struct
for text, power in zip(open('powers.text').read().split(), (sign * 2.0 ** i for i in range(-1074, 1024) for sign in (1, -1))):
    if text != repr(power).removesuffix('.0'):
        print(text, power)
try:
    import numpy
except ImportError:
    numpy = None
def nearest_bf16(x):  # ties to even; x is a double that is no tie of floats' own rounding
    bits = struct.unpack('<I', struct.pack('<f', x))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16
for name in 'f16', 'bf16':
    for i, text in enumerate(open(name + '.text').read().split()):
        value = struct.unpack('<e', struct.pack('<H', i))[0] if name == 'f16' else struct.unpack('<f', struct.pack('<I', i << 16))[0]
        if value != value or value in (float('inf'), -float('inf')):
            good = text == repr(value) or text == 'nan'
        else:
            digits = len(text.lstrip('-').split('e')[0].replace('.', '').strip('0')) or 1
            back = (lambda t: struct.unpack('<H', struct.pack('<e', float(t)))[0]) if name == 'f16' else (lambda t: nearest_bf16(float(t)))
            good = back(text) == i
            if digits > 1:
                try:
                    good = good and back('%.*g' % (digits - 1, value)) != i
                except OverflowError:
                    pass
            if numpy is not None and name == 'f16':
                half = numpy.array([i], numpy.uint16).view(numpy.float16)[0]
                if int(numpy.__version__.split('.')[0]) < 2:
                    good = good and text == str(half).removesuffix('.0')
                else:  # writes 65504 as 6.55e+04
                    good = good and (value != value or float(text) == float(str(half)))
        if not good:
            print(name, i, text, value)
P
