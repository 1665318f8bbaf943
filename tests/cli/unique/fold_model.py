#!/usr/bin/env python3
"""fold_model.py SEED CASES: random folds by gsort, which is in PATH, against a plain model in fractions.

A case is records of a random length with random keys, folded fields, groups and values, sorted in a random way. Some
cases consist of keys and folded fields only, in many buffers: gsort holds such records while it reads. Prints what is
not as the model has it, and whether the cases reached what folds records while they are read."""
import fractions
import itertools
import json
import os
import random
import struct
import subprocess
import sys

INTEGERS = {'uint8': 1, 'int8': 1, 'u16': 2, 'i16': 2, 'u32': 4, 'i32': 4, 'u64': 8, 'i64': 8, 'u128': 16, 'i128': 16}
FLOATS = {'f16': (2, 10, 5), 'bf16': (2, 7, 8), 'f32': (4, 23, 8), 'f64': (8, 52, 11)}
TIMES = {'time64': 8}
NAT = 1 << 63
HELD_WAYS = ['--chunk 16K --parallel 1', '--chunk 16K --parallel 2', '--chunk 16K --parallel 4 --spill always']
WAYS = ['', '--spill always', '--spill always --chunk 64K --compress zstd', '--io threads --parallel 1', '--chunk 64K',
        '--parallel 8 --window 16K']


class Field:
    def __init__(self, off, kind):
        self.off, self.kind = off, kind
        self.base = kind.removesuffix('be')
        self.order = 'big' if kind.endswith('be') else 'little'
        self.bytes = INTEGERS.get(self.base) or TIMES.get(self.base) or FLOATS[self.base][0]
        self.text = f'{off}:{kind}'

    def is_float(self):
        return self.base in FLOATS

    def bits(self, record):
        return int.from_bytes(record[self.off:self.off + self.bytes], self.order)

    def value(self, record):
        """An integer, a fraction, or 'nan', 'inf', '-inf'."""
        bits = self.bits(record)
        if self.base in TIMES and bits == NAT:
            return 'nan'
        if not self.is_float():
            return bits - (1 << 8 * self.bytes) if self.base[0] in 'it' and bits >> (8 * self.bytes - 1) else bits
        _, fraction_bits, exponent_bits = FLOATS[self.base]
        sign, exponent = bits >> (8 * self.bytes - 1), bits >> fraction_bits & (1 << exponent_bits) - 1
        fraction = bits & (1 << fraction_bits) - 1
        if exponent == (1 << exponent_bits) - 1:
            return 'nan' if fraction else '-inf' if sign else 'inf'
        significand = fraction | (1 << fraction_bits if exponent else 0)
        place = max(exponent, 1) - (1 << exponent_bits - 1) + 2 - fraction_bits - 1
        return fractions.Fraction(significand) * fractions.Fraction(2) ** place * (-1 if sign else 1)

    def key(self, record):
        """By which numbers are ordered; -0 comes before 0."""
        value = self.value(record)
        if value in ('inf', '-inf'):
            return (float(value), 0)
        return (value, 0 if self.is_float() and self.bits(record) >> (8 * self.bytes - 1) else 1)

    def put(self, record, bits):
        record[self.off:self.off + self.bytes] = bits.to_bytes(self.bytes, self.order)


def to_bits(value, kind):
    """The float nearest to a fraction, ties to even; None: it is too large."""
    _, fraction_bits, exponent_bits = FLOATS[kind]
    sign = 1 << fraction_bits + exponent_bits if value < 0 else 0
    unit = fractions.Fraction(2) ** (2 - (1 << exponent_bits - 1) - fraction_bits)
    value = abs(value) / unit
    place = max(int(value).bit_length() - fraction_bits - 1, 0)
    significand = round(value / 2 ** place)  # to even
    bits = (place << fraction_bits) + significand
    return sign | bits if bits < ((1 << exponent_bits) - 1) << fraction_bits else None


def sum_of(field, records, kind):
    """Bits of `kind`; None: it does not fit."""
    values = [field.value(record) for record in records]
    if not field.is_float():
        total = sum(values)
        bytes = kind
        low = -(1 << 8 * bytes - 1) if field.base[0] == 'i' else 0
        high = (1 << 8 * bytes - 1 if field.base[0] == 'i' else 1 << 8 * bytes) - 1
        return total & (1 << 8 * bytes) - 1 if low <= total <= high else None
    records = [record for record in records if field.value(record) != 'nan']
    values = [value for value in values if value != 'nan']
    _, fraction_bits, exponent_bits = FLOATS[kind]
    infinity, sign = ((1 << exponent_bits) - 1) << fraction_bits, 1 << fraction_bits + exponent_bits
    if not values or ('inf' in values and '-inf' in values):
        return infinity | 1 << fraction_bits - 1
    if 'inf' in values or '-inf' in values:
        return infinity | (sign if '-inf' in values else 0)
    negative_zero = 1 << 8 * field.bytes - 1
    if all(field.bits(record) == negative_zero for record in records):
        return sign
    return to_bits(sum(values), kind)


def wide_kind(field):
    if field.is_float():
        return 'f64', 8
    bytes = 8 if field.bytes <= 4 else 2 * field.bytes
    return bytes, bytes


def fold(case, records):
    """What is written of a group; None: a sum does not fit."""
    entry = bytearray(records[-1 if case['keep'] == 'last' else 0])
    wide = b''
    for how, field in case['folds']:
        if how == 'sum' and field.off in case['wide']:
            kind, width = wide_kind(field)
            bits = sum_of(field, records, kind)
            if bits is None:
                return None
            wide += bits.to_bytes(width, 'little')
        elif len(records) == 1:
            continue
        elif how == 'sum':
            bits = sum_of(field, records, field.base if field.is_float() else field.bytes)
            if bits is None:
                return None
            field.put(entry, bits)
        else:
            some = [record for record in records if field.value(record) != 'nan']
            if some:
                field.put(entry, field.bits((min if how == 'min' else max)(some, key=field.key)))
    return bytes(entry) + wide + (struct.pack('<Q', len(records)) if case['count'] else b'')


def random_bits(rng, field, style):
    whole = 8 * field.bytes
    if style == 'small' or style == 'nan' and not field.is_float():
        if not field.is_float():
            value = rng.randrange(-4 if field.base[0] in 'it' else 0, 5)
            return value & (1 << whole) - 1
        return to_bits(fractions.Fraction(rng.randrange(-8, 9), 4), field.base)
    if style == 'nan' and field.is_float():
        _, fraction_bits, exponent_bits = FLOATS[field.base]
        return ((1 << exponent_bits) - 1) << fraction_bits | rng.randrange(1, 1 << fraction_bits) | rng.getrandbits(1) << whole - 1
    if style == 'special' and field.is_float():
        _, fraction_bits, exponent_bits = FLOATS[field.base]
        infinity = ((1 << exponent_bits) - 1) << fraction_bits
        bits = rng.choice([0, 1, infinity, infinity + 1, infinity - 1, infinity // 2, rng.getrandbits(whole - 1)])
        return bits | rng.getrandbits(1) << whole - 1
    if style == 'special':
        return rng.choice([0, 1, (1 << whole) - 1, 1 << whole - 1, (1 << whole - 1) - 1])
    return rng.getrandbits(whole)


def make_fields(rng, length, gaps):
    kinds = [name + be for name in list(INTEGERS) + list(FLOATS) + list(TIMES) for be in ('', 'be')]
    off, fields = 0, []
    while off < length:
        fitting = [kind for kind in kinds if Field(off, kind).bytes <= length - off]
        fields.append(Field(off, rng.choice(fitting)))
        off += fields[-1].bytes + rng.choice(gaps)
    rng.shuffle(fields)
    return fields


def make_folds(rng, fields):
    extremes, folds = ['min', 'max'], []
    for field in fields:
        folds.append((rng.choice(extremes if field.base in TIMES else ['sum', 'sum'] + extremes), field))
    return folds


def make_case(rng):
    length = rng.randrange(6, 60)
    fields = make_fields(rng, length, [0, 0, 0, 1, 3])
    key_count = min(rng.choice([1, 1, 2, 3]), len(fields))
    keys = fields[:key_count]
    group = rng.randrange(key_count)
    foldable = fields[key_count:]
    if group and rng.random() < 0.3:  # a key that makes no group may be folded
        foldable = fields[group:]
        rng.shuffle(foldable)
    folds = make_folds(rng, foldable[:rng.randrange(0, 4)])
    wide = {field.off for how, field in folds if how == 'sum' and rng.random() < 0.3}
    for how, field in list(folds):  # a wide sum is written behind the record, so the field may have an extreme
        if how == 'sum' and field.off in wide and rng.random() < 0.5:
            folds.append((rng.choice(['min', 'max']), field))
    folds.sort(key=lambda fold: ['sum', 'min', 'max'].index(fold[0]))
    return {'length': length, 'fields': fields, 'key_fields': keys, 'group': group, 'folds': folds,
            'keep': rng.choice(['first', 'last', 'last', 'singles', 'dups']), 'count': rng.random() < 0.2,
            'wide': wide, 'reverse': rng.random() < 0.3,
            'distinct': rng.choice([1, 3, 40, 10 ** 6]), 'style': rng.choice(['small', 'small', 'special', 'any']),
            'n': rng.choice([0, 1, 2, 30, 300, rng.randrange(3000)]), 'way': rng.choice(WAYS)}


def make_early_case(rng, is_held, keep):
    """Records are folded while they are read. If `is_held`, each byte belongs to a key or to a folded field, and threads
    read more than four buffers each. Else the second key orders the groups, with ties, and one field tells records apart."""
    fields, needs_float = [], is_held and rng.random() < 0.8
    while not 3 <= len(fields) <= 5 or needs_float and not any(field.is_float() for field in fields[1:]):
        length = rng.randrange(12, 28)
        fields = make_fields(rng, length, [0] if is_held else [0, 1])
    key_count = 1 if is_held else 2
    foldable = fields[key_count:] if is_held else [fields[2]] + fields[4:]
    folds = [(how if how != 'sum' or not field.is_float() else 'max', field) for how, field in make_folds(rng, foldable)]
    folds.sort(key=lambda fold: ['sum', 'min', 'max'].index(fold[0]))
    return {'length': length, 'fields': fields, 'key_fields': fields[:key_count], 'group': key_count - 1, 'folds': folds,
            'keep': keep, 'count': False, 'wide': set(), 'reverse': rng.random() < 0.3,
            'distinct': rng.choice([40, 1000] if is_held else [3, 40]), 'style': rng.choice(['small', 'nan', 'nan']),
            'n': 28 * 16384 // length if is_held else 1000, 'way': rng.choice(HELD_WAYS if is_held else WAYS)}


def make_records(rng, case):
    pool = [rng.getrandbits(128) for i in range(min(case['distinct'], 3000))]
    records = []
    for i in range(case['n']):
        record = bytearray(rng.randbytes(case['length']))
        for field in case['fields']:
            field.put(record, random_bits(rng, field, case['style']))
        case['key_fields'][0].put(record, rng.choice(pool) & (1 << 8 * case['key_fields'][0].bytes) - 1)
        for field in case['key_fields'][1:]:
            field.put(record, rng.randrange(2))
        records.append(bytes(record))
    return records


def model(case, records):
    def key(record, count=len(case['key_fields'])):
        return tuple(record[field.off:field.off + field.bytes] for field in case['key_fields'][:count])
    ordered = sorted(records, key=key, reverse=case['reverse'])  # stable, also in reverse
    out = []
    for _, group in itertools.groupby(ordered, key=lambda record: key(record, case['group'] or len(case['key_fields']))):
        group = list(group)
        entry = fold(case, group)
        if entry is None:
            return None
        if not (case['keep'] == 'singles' and len(group) > 1 or case['keep'] == 'dups' and len(group) == 1):
            out.append(entry)
    return b''.join(out)


def command(case):
    words = ['gsort', '-q', '--stats=json', '-u', '-R', str(case['length']), '-S', '24M']
    for field in case['key_fields']:
        words += ['-k', f'{field.off}:b{field.bytes}']
    for how, field in case['folds']:
        words += ['--' + how, field.text + ':wide' * (how == 'sum' and field.off in case['wide'])]
    words += ['--keep', case['keep']] + case['way'].split()
    words += ['--count'] * case['count'] + ['-r'] * case['reverse']
    return words + (['--group', str(case['group'])] if case['group'] else [])


def run(rng, words, records):
    """Exit status, what was written, the report or None, and the error line."""
    if rng.random() < 0.2:
        done = subprocess.run(words, input=b''.join(records), capture_output=True)
        got, report = done.stdout, done.stderr
    else:
        done = subprocess.run(words + ['in', '-o', 'out'], capture_output=True)
        got, report = open('out', 'rb').read() if os.path.exists('out') else b'', done.stdout
    if os.path.exists('out'):
        os.unlink('out')
    return done.returncode, got, json.loads(report) if done.returncode == 0 else None, done.stderr.decode()


def main():
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    wrong = refused = 0
    early = {'in an order, last': 0, 'in an order, first': 0, 'held': 0, 'others': 0}
    for i in range(cases):
        rng = random.Random(seed * 1000003 + i)
        is_held = i % 15 == 14
        is_early = is_held or i % 15 == 7
        case = make_early_case(rng, is_held, ['first', 'last'][i // 15 % 2]) if is_early else make_case(rng)
        records = make_records(rng, case)
        with open('in', 'wb') as file:
            file.write(b''.join(records))
        want = model(case, records)
        words = command(case)
        code, got, report, said = run(rng, words, records)
        refused += want is None
        if report and report['folded_count'] > 0:
            early['held' if is_held else f'in an order, {case["keep"]}' if case['group'] else 'others'] += 1
        is_right = code == 2 and 'does not fit' in said if want is None else code == 0 and got == want
        if not is_right:
            wrong += 1
            print(f'seed {seed}, case {i}: exit {code}, {said.strip() if code else ""}:', ' '.join(words),
                  f'({case["n"]} records of {case["distinct"]} keys, {case["style"]})')
    print(f'{wrong} not as the model; some sums fit, some do not: {0 < refused < cases}')
    print('folded while reading:', 'in each way' if min(early.values()) > 0 else early)


if __name__ == '__main__':
    main()
