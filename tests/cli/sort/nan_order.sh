# Every NaN last, bits kept: positive ones by payload, negative ones from the greatest payload on; -0 before +0.
python3 - <<'P'
import struct
bits = [0x7ff8000000000002, 0x7ff8000000000001, 0xfff8000000000000, 0xfff8000000000001, 0xfff8000000000002, 0x7ff0000000000000, 0xfff0000000000000,
        0x8000000000000000, 0x0000000000000000, 0x3ff0000000000000, 0xbff0000000000000]
open('x.f64', 'wb').write(struct.pack('<11Q', *bits))
P
gsort x.f64 -o y.f64
od -An -v -w8 -tx8 y.f64
