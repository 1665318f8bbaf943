# Numbers of every type are printed exactly; as JSON, too.
for type in u32 i32 f32 u64 i64 f64 u128; do
    for shape in uniform specials; do
        gsort-gen --type $type --dist $shape --count 3000 -o x.$type
        gsort --head 3000 x.$type >text
        python3 "$CASES/numbers.py" $type x.$type text
        gsort --head 3000 --json x.$type >text
        python3 "$CASES/numbers.py" $type x.$type text
        python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <text
    done
done
# At the borders of the plain notation, and powers of two and of ten, as Python prints them.
python3 - <<'P'
import math, struct
near = [float(f'{digits}e{exponent}') for exponent in range(-7, 19) for digits in ('1', '1.5', '9.99', '2.5000001', '1.2345678901234567', '9.999999999999999')]
near += [2.0 ** i for i in range(-1074, 1024)] + [10.0 ** i for i in range(-323, 309)] + [3.0, 10.0, 30.0, 1000.0, 123456.0, 2.0 ** 53, 2.0 ** 53 + 2]
near = [x for y in near for x in (y, math.nextafter(y, 0), math.nextafter(y, math.inf), -y) if math.isfinite(x)]
open('x.f64', 'wb').write(struct.pack(f'<{len(near)}d', *near))
small = [x for x in near if abs(x) < 3.4028235e38]
open('x.f32', 'wb').write(struct.pack(f'<{len(small)}f', *small))
P
for type in f32 f64; do
    gsort --head 1M x.$type >text
    python3 "$CASES/numbers.py" $type x.$type text
done
