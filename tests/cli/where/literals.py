"""literals.py SEED STEP: checks that texts at the limits of every numeric type are the numbers that exact arithmetic gives.

A literal is rounded once to the type that it is compared with, ties to even; beyond the largest number it is refused. Exact fractions
give the expected number. Literals are each limit, and numbers one unit, half a unit, and slightly more or less than half a unit from it.
--where, --find and --split-at must agree, on plain numbers and on fields of records. Every STEP-th literal is tried.
"""
import itertools
import random
import subprocess
import sys
from fractions import Fraction

NAN, BEYOND = 'nan', 'beyond'


class Float:
    """A binary format: its numbers as Fractions, by the bits of their size."""

    def __init__(self, name, bits, digits):
        self.name, self.bytes, self.digits = name, bits // 8, digits
        self.infinity = (1 << (bits - digits)) - 1 << (digits - 1)  # all exponent bits
        self.least = 2 - (1 << (bits - digits - 1)) - (digits - 1)  # the exponent of the least number
        self.sign = 1 << (bits - 1)

    def value(self, size):
        """Returns the value of bits without a sign. For the bits of infinity it returns the number that would follow the largest."""
        exponent, fraction = divmod(size, 1 << (self.digits - 1))
        if exponent > 0:
            exponent, fraction = exponent - 1, fraction + (1 << (self.digits - 1))
        return Fraction(fraction) * Fraction(2) ** (exponent + self.least)

    def read(self, number):
        """The nearest number's place in the order, where -0 and 0 are one."""
        low, high = 0, self.infinity
        if abs(number) >= self.value(high):
            return BEYOND
        while high - low > 1:
            middle = (low + high) // 2
            if self.value(middle) <= abs(number):
                low = middle
            else:
                high = middle
        half = (self.value(low) + self.value(high)) / 2
        if abs(number) > half or (abs(number) == half and low % 2 == 1):
            low = high
        return BEYOND if low == self.infinity else -low if number < 0 else low

    def boundaries(self):
        normal = 1 << (self.digits - 1)
        one = (self.infinity // normal // 2) * normal
        return [0, 1, normal - 1, normal, one - 1, one, one + 1, self.infinity - 1, self.infinity, random.randrange(self.infinity)]

    def literals(self):
        for size in self.boundaries():
            value, unit = self.value(size), self.value(size + 1) - self.value(size)
            below = value - self.value(max(size - 1, 0))
            little = unit / 2 ** 60  # lost in an f64
            offsets = [0, unit, -below, unit / 2, -below / 2] + [half + by for half in (unit / 2, -below / 2) for by in (little, -little)]
            for number in {value + offset for offset in offsets}:
                yield from (sign * number for sign in (1, -1))
        yield from (Fraction(10) ** 400, -Fraction(10) ** 400, Fraction(10) ** -400)

    def elements(self):
        """Places, and the bits of each: those next to all boundaries, both zeros, infinities and NaNs."""
        near = {size + by for size in self.boundaries() for by in range(-2, 3)}
        sizes = sorted(size for size in near if 0 <= size <= self.infinity)
        return ([(-size, size | self.sign) for size in reversed(sizes)] + [(size, size) for size in sizes] +
                [(NAN, self.infinity | 1 << (self.digits - 2))])

    @staticmethod
    def text(number, form):
        """Exactly, in decimal or hexadecimal notation."""
        sign, size = '-' if number < 0 else random.choice(['', '+']), abs(number)
        shift = size.denominator.bit_length() - 1
        if form % 3 == 2 and size.denominator == 1 << shift:
            return f'{sign}0x{size.numerator:x}p-{shift}'
        if size.denominator != 1 << shift:
            return f'{sign}1e-400'
        digits = str(size.numerator * 5 ** shift).rjust(shift + 1, '0')
        if form % 3 == 1:
            return f'{sign}{digits}e-{shift}'
        return f'{sign}{digits[:-shift]}.{digits[-shift:]}' if shift > 0 else sign + digits


class Int:
    def __init__(self, name, size, signed, has_nat=False):
        self.name, self.bytes = name, size
        self.low, self.high = (-1 << (8 * size - 1), (1 << (8 * size - 1)) - 1) if signed else (0, (1 << 8 * size) - 1)
        self.has_nat = has_nat
        self.low += has_nat

    def read(self, number):
        return number if self.low <= number <= self.high else BEYOND

    def literals(self):
        near = {edge + by for edge in (self.low, 0, self.high) for by in (-2, -1, 0, 1, 2)}
        near |= {-self.high, 2 * self.high + 2, 1 << 128, -1 << 127, -1 << 128}
        yield from (n for n in near if not (self.has_nat and n == self.low - 1))

    def elements(self):
        near = {edge + by for edge in (self.low, 0, self.high) for by in (-2, -1, 0, 1, 2)}
        numbers = sorted(n for n in near if self.low <= n <= self.high)
        return [(n, n % (1 << 8 * self.bytes)) for n in numbers] + [(NAN, 1 << (8 * self.bytes - 1))] * self.has_nat

    @staticmethod
    def text(number, form):
        sign = '-' if number < 0 else random.choice(['', '+']) if number > 0 else random.choice(['-', '+', ''])
        return f'{sign}{abs(number):#x}' if form % 2 == 1 else f'{sign}{abs(number)}'


OPS = {'==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b, '<=': lambda a, b: a <= b,
       '>': lambda a, b: a > b, '>=': lambda a, b: a >= b}


def is_true(place, op, literal):
    return op == '!=' if place == NAN else OPS[op](place, literal)


def run(*arguments):
    done = subprocess.run(['gsort', *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def check(what, want, got, kind, refusal):
    code, out, message = got
    good = code == 2 and refusal in message if want == BEYOND else code == 0 and out == want
    if not good:
        sys.exit(f'{kind.name}: {what}: exit {code}, {message or out!r}, not {want!r}')


def main():
    random.seed(int(sys.argv[1]))
    kinds = [Float('f16', 16, 11), Float('bf16', 16, 8), Float('f32', 32, 24), Float('f64', 64, 53), Int('time64', 8, True, True)]
    for size in (1, 2, 4, 8, 16):
        name = f'int{8 * size}' if size == 1 else f'i{8 * size}'
        kinds += [Int(name, size, True), Int(name.replace('i', 'ui' if size == 1 else 'u', 1), size, False)]
    for kind in kinds:
        elements = kind.elements()
        raw = [bits.to_bytes(kind.bytes, 'little') for _, bits in elements]
        records = [b'rec' + element[::-1] for element in raw]  # big endian, at place 3
        with open('raw', 'wb') as file:
            file.write(b''.join(raw))
        with open('records', 'wb') as file:
            file.write(b''.join(records))
        order = 'be' if kind.bytes > 1 else ''
        field = f'3:{kind.name}{order}'
        plain, packed = ['-t', kind.name, 'raw'], ['-R', str(kind.bytes + 3), '-k', field, 'records']
        turn = itertools.cycle(OPS)
        for i, number in enumerate(kind.literals()):
            if i % int(sys.argv[2]) != random.randrange(int(sys.argv[2])):
                continue
            text, literal, op = kind.text(number, i), kind.read(number), next(turn)
            refusal = f"'{text}' is out of range for {kind.name}"
            places = [place for place, _ in elements]
            below = sum(place != NAN and literal != BEYOND and place < literal for place in places)
            same = places.count(literal)
            where = BEYOND if literal == BEYOND else [is_true(place, op, literal) for place in places]
            data, given, name = (raw, plain, '') if i // len(OPS) % 2 == 0 else (records, packed, field)
            want = where if where == BEYOND else b''.join(itertools.compress(data, where))
            check(f"--where '{name}{op}{text}'", want, run(*given, '--where', f'{name}{op}{text}'), kind, refusal)
            want = BEYOND if literal == BEYOND else f'{below}:{same}\n'.encode()
            check(f"--find '{text}' {name}", want, run(*given, '--find', text), kind, refusal)
            want = BEYOND if literal == BEYOND else b''
            check(f"--split-at '{text}'", want, run(*plain, '--split-at', text, '-o', 'part%d'), kind, refusal)
            if literal != BEYOND:
                with open('part1', 'rb') as file:
                    check(f"--split-at '{text}'", b''.join(raw[:below]), (0, file.read(), ''), kind, refusal)


main()
