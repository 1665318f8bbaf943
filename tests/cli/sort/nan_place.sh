# --nan does not accept a file that is sorted in another order of NaNs. The order itself: tests/model.
python3 - <<'P'
import struct
nan, nat = float('nan'), -2**63
numbers = [nan, 1.5, -2.5, nan]
open('x.f64', 'wb').write(struct.pack('<4d', *numbers))
open('x.rec', 'wb').write(b''.join(struct.pack('>IdqH', i % 2, x, nat if i % 3 == 0 else i, i) for i, x in enumerate(numbers)))
P
gsort -q -r x.f64 -o y.f64
gsort -c -r --nan=last y.f64 -t f64 2>&1 | sed 's/nan.*//'
# --top tells of NaNs that it wrote, unless they were asked for, or are not there.
gsort -r --top=2 x.f64 -o top.f64
gsort -r --top=4 --where='!=nan' x.f64 -o top.f64
gsort -r --top=4 --nan=first x.f64 -o top.f64
gsort --top=8 x.f64 -o top.f64
gsort -R 22 -k 4:f64be:desc --top=2 x.rec -o top.rec
gsort -R 22 -k 12:time64be --reverse --top=2 x.rec -o top.rec
gsort -q -r --top=2 x.f64 -o top.f64
gsort --nan=middle x.f64
