# Mean and variance are exact and rounded once: against Python's fractions, for numbers of all sizes, with and without a sort, NaNs
# and fields of records; what they do not go with.
cat >model.py <<'P'
import json, math, random, struct, subprocess, sys
from fractions import Fraction
formats = {'u32': 'I', 'i32': 'i', 'u64': 'Q', 'i64': 'q', 'f32': 'f', 'f64': 'd'}
exponents = {'f64': [(-1074, -1000), (-600, -400), (-482, -478), (-20, 20), (498, 502), (400, 1000), (-1070, 1000)],
             'f32': [(-149, -120), (-5, 5), (60, 126), (-149, 126)]}
dice = random.Random(sys.argv[1])


def value(kind, spread):
    if kind[0] == 'f':
        x = math.ldexp(dice.uniform(.5, 1), dice.randint(*spread)) * dice.choice((1, -1)) if dice.random() < .95 else 0.
        return struct.unpack('f', struct.pack('f', x))[0] if kind == 'f32' else x
    bits = int(kind[1:])
    low, high = (0, 2 ** bits - 1) if kind[0] == 'u' else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
    return dice.choice((dice.randint(low, high), low, high, dice.randint(max(low, -9), 9)))


def nearest(fraction):
    try:
        return float(fraction)
    except OverflowError:
        return math.inf


wrong = 0
for case in range(int(sys.argv[2])):
    kind = dice.choice(sorted(formats))
    spread, n = dice.choice(exponents.get(kind, [0])), dice.choice((1, 2, 3, 10, 1000, 5000))
    numbers = [value(kind, spread) for _ in range(n)]
    if dice.random() < .2:
        numbers = numbers[:1] * n
    data = struct.pack(f'<{n}{formats[kind]}', *numbers)
    if kind[0] == 'f' and dice.random() < .3:
        data += struct.pack('<' + formats[kind], math.nan)
    field = dice.random() < .3
    if field:  # behind two bytes
        width = struct.calcsize(formats[kind])
        data = b''.join(b'ab' + data[at:at + width] for at in range(0, len(data), width))
    open('x', 'wb').write(data)
    command = ['gsort', 'x', '--variance', '--stats=json', '-S', '64M']
    command += ['-R', str(2 + width), '-k', f'2:{kind}'] if field else ['-t', kind]
    command += dice.choice((['--stats-only'], ['--stats-only', '--parallel', '1'], ['-o', 'y']))
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    found = report['fields'][0] if field else report['tally']
    fractions = [Fraction(x) for x in numbers]
    total, squares = sum(fractions), sum(x * x for x in fractions)
    mean, variance = nearest(total / n), nearest((n * squares - total * total) / (n * n))
    if float(found['mean']) != mean or float(found['variance']) != variance:
        print(kind, spread, n, found['mean'], mean, found['variance'], variance)
        wrong += 1
print(wrong, 'wrong')
P
python3 model.py "$GS_TEST_SEED" "$(sized 150 20)"
python3 -c 'import struct; open("x.f64", "wb").write(struct.pack("<5d", 1, 2, 4, float("nan"), float("inf")))'
gsort x.f64 --stats-only --variance --where '<inf' | grep -E '^(sum|mean|variance|deviation)'
gsort x.f64 --stats-only --variance --where '!=nan' | grep -E '^(sum|mean|variance|deviation)'
gsort x.f64 --stats-only --variance --where '<0' | grep -E '^(mean|variance)' || echo none
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
refuse -t u128 --raw --stats-only --variance --drop-tail x.f64
refuse -R 8 -k 0:b8 --stats-only --variance x.f64
refuse x.f64 -o y.f64 --variance --resume dir
refuse x.f64 --head 1 --variance
