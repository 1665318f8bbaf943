#!/usr/bin/env python3
"""Sums of the tally against Python's integers, which are exact and round on their own.

exact_sum.py SUM_PRINT: feeds cases to sum_print and compares. A failure prints the seed; GS_TEST_SEED
replays it."""
import math
import os
import random
import struct
import subprocess
import sys

INTEGERS = {'u32': (4, False), 'i32': (4, True), 'u64': (8, False), 'i64': (8, True),
            'u128': (16, False)}
FLOATS = {'f32': ('<%dI', 8, 23), 'f64': ('<%dQ', 11, 52)}


def float_value(bits, exponent_bits, fraction_bits):
    """Value of a finite float, times 2^(fraction bits + bias - 1), as an integer; else a float."""
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    sign = -1 if bits >> (fraction_bits + exponent_bits) else 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * fraction
    return sign * (fraction | 1 << fraction_bits) << (exponent - 1)


def float_sum(type_name, patterns):
    _, exponent_bits, fraction_bits = FLOATS[type_name]
    values = [float_value(bits, exponent_bits, fraction_bits) for bits in patterns]
    are_nans = [isinstance(v, float) and math.isnan(v) for v in values]
    if patterns and all(are_nans):
        return math.nan
    patterns = [bits for bits, is_nan in zip(patterns, are_nans) if not is_nan]
    values = [v for v, is_nan in zip(values, are_nans) if not is_nan]
    special = [v for v in values if isinstance(v, float)]
    if special:
        return sum(special)
    if patterns and all(bits == 1 << (exponent_bits + fraction_bits) for bits in patterns):
        return -0.0  # IEEE 754, 6.3: of equal signs; integers have none
    unit = fraction_bits + (1 << (exponent_bits - 1)) - 2
    try:
        return sum(values) / (1 << unit)  # int / int is rounded once, to nearest even
    except OverflowError:
        return math.inf if sum(values) > 0 else -math.inf


def bits_64(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def bits_32(x):
    return struct.unpack('<I', struct.pack('<f', x))[0]


def fixed_cases():
    """Each a list of doubles; those that binary32 can hold are used for it too."""
    tiny, huge, eps = 5e-324, sys.float_info.max, sys.float_info.epsilon
    half_ulp = 2.0 ** 970  # of the largest double
    return [
        [], [0.0], [-0.0], [-0.0, -0.0], [0.0, -0.0], [1.5, -1.5], [1.0],
        [1e308, 1.0, -1e308], [huge, 1.0, -huge], [huge, tiny, -huge], [1e16, 1.0, -1e16] * 999,
        [0.1] * 10, [0.1] * 100001,
        [tiny], [-tiny], [tiny] * 3, [tiny, -tiny], [2.2250738585072014e-308, -tiny],
        [2.2250738585072009e-308, tiny], [2.2250738585072009e-308] * 2,
        [1.0, eps / 2], [1.0, eps / 2, tiny], [1.0, eps / 2, -tiny], [1 + eps, eps / 2],
        [1 + eps, eps / 2, tiny], [1 + eps, eps / 2, -tiny], [-1.0, -eps / 2], [-1 - eps, -eps / 2],
        [1.0, -eps / 4], [1.0, -eps / 4, tiny], [1.0, -eps / 4, -tiny], [2 - eps, eps / 2],
        [huge, huge], [-huge, -huge], [huge, huge, -huge], [huge, half_ulp],
        [huge, half_ulp, -tiny], [-huge, -half_ulp], [huge] * 5000, [huge] * 5000 + [-huge] * 5000,
        [huge] * 5000 + [-huge] * 4999, [2.0 ** e for e in range(-1074, 1024)],
        [-(2.0 ** e) for e in range(-1074, 1024)],
        [2.0 ** e * (-1) ** e for e in range(-1074, 1024)],
        [math.inf], [-math.inf], [math.inf, -math.inf], [math.inf, -huge], [-math.inf, 1.0],
        [math.nan], [math.nan, math.inf], [1.0, math.nan, 2.0],
    ]


def float_cases(rng):
    for numbers in fixed_cases():
        yield 'f64', [bits_64(x) for x in numbers]
        if all(not math.isfinite(x) or abs(x) < 3e38 for x in numbers):
            yield 'f32', [bits_32(x) for x in numbers]
    for type_name, (_, exponent_bits, fraction_bits) in FLOATS.items():
        bits = 1 + exponent_bits + fraction_bits
        top = (1 << exponent_bits) - 1

        def finite(low=0, high=top - 1):
            exponent = rng.randint(low, high)
            return (rng.getrandbits(1) << (bits - 1) | exponent << fraction_bits |
                    rng.getrandbits(fraction_bits))

        for _ in range(300):
            low = rng.randint(0, top - 1)
            high = min(top - 1, low + rng.choice((0, 1, 3, 60, 200)))
            yield type_name, [finite(low, high) for _ in range(rng.randint(0, 40))]
        for _ in range(50):  # cancels but for a little
            some = [finite() for _ in range(rng.randint(1, 500))]
            rest = [x ^ 1 << (bits - 1) for x in some] + [finite()]
            both = some + rest
            rng.shuffle(both)
            yield type_name, both
        for _ in range(50):  # subnormals
            yield type_name, [finite(0, 1) for _ in range(rng.randint(1, 3000))]
        yield type_name, [finite() for _ in range(100000)]
        yield type_name, [(top // 2 + 1) << fraction_bits | (1 << fraction_bits) - 1] * 100000


def integer_cases(rng):
    for type_name, (size, _) in INTEGERS.items():
        ones, sign = (1 << 8 * size) - 1, 1 << (8 * size - 1)
        for x in (0, 1, ones, sign, sign - 1, sign + 1):
            for count in (0, 1, 2, 1023, 1024, 1025, 70000):
                yield type_name, [x] * count
        for count in (3, 1000, 5000, 100000):
            yield type_name, [rng.getrandbits(8 * size) for _ in range(count)]


def integer_sum(type_name, patterns):
    size, is_signed = INTEGERS[type_name]
    excess = (1 << 8 * size) if is_signed else 0
    return sum(x - excess if is_signed and x >> (8 * size - 1) else x for x in patterns)


def packed(type_name, patterns):
    if type_name in FLOATS:
        return struct.pack(FLOATS[type_name][0] % len(patterns), *patterns)
    size = INTEGERS[type_name][0]
    return b''.join(x.to_bytes(size, 'little') for x in patterns)


def is_right(type_name, want, got):
    if type_name in INTEGERS:
        return want == int(got)
    got = float.fromhex(got)
    if math.isnan(want):
        return math.isnan(got)
    return want == got and math.copysign(1, got) == math.copysign(1, want)


def main():
    seed = int(os.environ.get('GS_TEST_SEED', '0x5eed'), 0)
    rng = random.Random(seed)
    cases = list(float_cases(rng)) + list(integer_cases(rng))
    data = b''.join(struct.pack('<8sQ', t.encode(), len(p)) + packed(t, p) for t, p in cases)
    output = subprocess.run([sys.argv[1]], input=data, stdout=subprocess.PIPE, check=True).stdout
    lines = output.decode().splitlines()
    assert len(lines) == len(cases), (len(lines), len(cases))
    failures = 0
    for (type_name, patterns), got in zip(cases, lines):
        sum_of = float_sum if type_name in FLOATS else integer_sum
        want = sum_of(type_name, patterns)
        if not is_right(type_name, want, got):
            failures += 1
            print(f'GS_TEST_SEED={seed}: {type_name}, {len(patterns)} elements, '
                  f'{[hex(x) for x in patterns[:4]]}..: got {got}, want {want!r}', file=sys.stderr)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
