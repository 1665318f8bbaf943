#!/usr/bin/env python3
"""histogram_model.py SEED CASES: histograms by gsort, which is in PATH, of random numbers and fields of records, with and
without a sort, against a plain model: integers exactly, floats with borders as numpy.linspace has them."""
import bisect
import json
import math
import random
import struct
import subprocess
import sys

TYPES = {'u32': 'I', 'i32': 'i', 'f32': 'f', 'u64': 'Q', 'i64': 'q', 'f64': 'd', 'u16': 'H', 'int8': 'b'}
WAYS = [[], ['-r'], ['--stats-only'], ['--spill', 'always', '--window', '12K'], ['--io', 'threads', '--parallel', '3'],
        ['--stats-only', '--quantiles', '0.5', '--window', '12K']]


def make_values(rng, kind, n):
    span = 2 ** (8 * struct.calcsize(kind)) - 1
    least = 0 if kind.isupper() else -(span + 1) // 2
    width = rng.choice([0, 1, 7, 100, span])
    low = least + rng.randint(0, max(0, span - width))
    return [rng.randint(low, min(least + span, low + width)) for i in range(n)]


def make_floats(rng, kind, n):
    scale = 10.0 ** rng.randrange(-30, 30)
    style = rng.randrange(4)
    values = [rng.gauss(0, 1) * scale if style else float(rng.randrange(-4, 5)) for i in range(n)]
    if style == 1:
        values = [rng.choice([value, -0.0, 0.0, math.nan]) for value in values]
    if style == 2 and rng.random() < 0.3:
        values[:1] = [math.inf] * len(values[:1])
    return [struct.unpack('<' + kind, struct.pack('<' + kind, value))[0] for value in values]


def borders_of(values, bins, is_float):
    low, high = min(values), max(values)
    if low == high and is_float:  # as numpy.histogram
        low, high = low - 0.5, high + 0.5
    elif low == high:
        return [low + (2 * i > bins) for i in range(bins)]
    if not is_float:
        return [low + -(-i * (high - low) // bins) for i in range(bins)]
    step = (high - low) / bins
    return [low] + [i * step + low if step > 0 else i / bins * (high - low) + low for i in range(1, bins)]


def model(values, bins, is_float):
    """Counts, and where bins of integers begin."""
    values = [value for value in values if not is_float or not math.isnan(value)]
    if not values or any(is_float and math.isinf(value) for value in values):
        return [], []
    borders = borders_of(values, bins, is_float)
    counts = [0] * bins
    for value in values:
        counts[bisect.bisect_right(borders, value) - 1] += 1
    return counts, borders


def main():
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    wrong = 0
    for case in range(cases):
        rng = random.Random(seed * 1000003 + case)
        name = rng.choice(list(TYPES))
        kind = TYPES[name]
        n, bins = rng.choice([0, 1, 2, 3, 60, 1000, 6000]), rng.choice([1, 2, 3, 10, 64, 1000, 1024])
        values = make_floats(rng, kind, n) if name[0] == 'f' else make_values(rng, kind, n)
        words = ['gsort', '--histogram', str(bins), '--stats=json'] + rng.choice(WAYS)
        if rng.random() < 0.3 or kind in 'Hb':
            words += ['-R', '12', '-k', '1:' + name]
            data = b''.join(b'x' + struct.pack('<' + kind, value) + rng.randbytes(11 - struct.calcsize(kind)) for value in values)
        else:
            words += ['-t', name]
            data = struct.pack(f'<{n}{kind}', *values)
        with open('histogram.in', 'wb') as file:
            file.write(data)
        done = subprocess.run(words + ['histogram.in'] + ([] if '--stats-only' in words else ['-o', 'histogram.out']),
                              capture_output=True)
        told = json.loads(done.stderr or done.stdout)['histogram'] if done.returncode == 0 else None
        counts, borders = model(values, bins, name[0] == 'f')
        is_right = told is not None and [int(row['count']) for row in told] == counts and (
            name[0] == 'f' or [int(row['from']) for row in told] == borders)
        if not is_right:
            wrong += 1
            print(f'seed {seed}, case {case}: exit {done.returncode}, {done.stderr.decode()[:300]}:', ' '.join(words), n)
    print(wrong, 'not as the model')


if __name__ == '__main__':
    main()
