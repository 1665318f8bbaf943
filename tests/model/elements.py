"""elements.py: types of numbers and bytes, their values, order and text.

Everything is computed from the documents of gsort, with integers and fractions. Nothing here calls gsort.
"""
import datetime
import struct
from fractions import Fraction
from functools import lru_cache

INTEGERS = {"uint8": 1, "int8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8, "u128": 16, "i128": 16}
FLOATS = {"f16": (2, 10, 5), "bf16": (2, 7, 8), "f32": (4, 23, 8), "f64": (8, 52, 11)}  # bytes, bits of fraction, of exponent
NUMBERS = [*INTEGERS, *FLOATS, "time64"]
BIG_TOO = [name for name in NUMBERS if name not in ("uint8", "int8", "bf16", "u128", "i128")]
UNITS = {"D": 1, "h": 24, "m": 1440, "s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}  # so many a day
TIMES = [f"time64[{unit}]{order}" for unit in UNITS for order in ("", "be")]
TYPES = [*NUMBERS, *(name + "be" for name in BIG_TOO)]
NAN, INFINITY, NEGATIVE_INFINITY = "nan", "inf", "-inf"


class Type:
    """A type of numbers by its name, or bN: N bytes."""

    def __init__(self, name):
        self.name = name
        self.is_bytes = name[0] == "b" and name[1:].isdigit()
        self.base = name if self.is_bytes else name.removesuffix("be").split("[")[0]
        self.unit = name[name.find("[") + 1:name.find("]")] if "[" in name else None  # of a time; None: a number of some unit
        self.order = "big" if self.is_bytes or name.endswith("be") else "little"
        self.is_float = self.base in FLOATS
        self.is_time = self.base == "time64"
        self.is_signed = self.is_float or self.is_time or not self.is_bytes and self.base[0] == "i"
        self.bytes = int(name[1:]) if self.is_bytes else 8 if self.is_time else INTEGERS.get(self.base) or FLOATS[self.base][0]
        self.bits = 8 * self.bytes
        if self.is_float:
            _, self.fraction_bits, self.exponent_bits = FLOATS[self.base]
            self.infinity = ((1 << self.exponent_bits) - 1) << self.fraction_bits
        self.sign = 1 << self.bits - 1

    def bits_of(self, raw):
        return int.from_bytes(raw, self.order)

    def raw_of(self, bits):
        return bits.to_bytes(self.bytes, self.order)

    def is_nan(self, raw):
        bits = self.bits_of(raw)
        if self.is_float:
            return bits & ~self.sign > self.infinity
        return self.is_time and bits == self.sign

    def rank(self, raw):
        """The place in the ascending order: whether it is a NaN, and an integer."""
        bits = self.bits_of(raw)
        if self.is_float:
            size = bits & ~self.sign
            if size > self.infinity:  # positive ones from the least payload on, then negative ones from the greatest on
                return 1, size if bits == size else (self.sign << 1) - 1 - size
            return 0, size if bits == size else -1 - size
        if self.is_signed and bits & self.sign:
            bits -= self.sign << 1
        return (1, 0) if self.is_time and bits == -self.sign else (0, bits)

    def value(self, raw):
        """An integer, a fraction, or NAN, INFINITY, NEGATIVE_INFINITY."""
        bits = self.bits_of(raw)
        if not self.is_float:
            is_nan, integer = self.rank(raw)
            return NAN if is_nan else integer
        size = bits & ~self.sign
        if size >= self.infinity:
            return NAN if size > self.infinity else INFINITY if size == bits else NEGATIVE_INFINITY
        exponent, fraction = size >> self.fraction_bits, size & (1 << self.fraction_bits) - 1
        significand = fraction | (1 << self.fraction_bits if exponent else 0)
        place = max(exponent, 1) + 1 - (1 << self.exponent_bits - 1) - self.fraction_bits
        number = Fraction(significand << place) if place >= 0 else Fraction(significand, 1 << -place)
        return number if size == bits else -number

    def is_negative_zero(self, raw):
        return self.is_float and self.bits_of(raw) == self.sign

    def text(self, raw):
        """As --print shows it."""
        if self.is_bytes:
            return text_of_bytes(raw)
        value = self.value(raw)
        if value == NAN:
            return "NaT" if self.is_time else NAN
        if not self.is_float or isinstance(value, str):
            return self.text_of_integer(value)
        return "-0" if self.is_negative_zero(raw) else float_text(value, self.base)


    def text_of_integer(self, value):
        return time_text(value, self.unit) if self.unit else str(value)


def time_text(time, unit):
    """ISO 8601, in the Gregorian calendar, whose days are the same after 400 years."""
    day, clock = divmod(time, UNITS[unit])
    era, day = divmod(day + datetime.date(1970, 1, 1).toordinal() - 1, 146097)
    date = datetime.date.fromordinal(day + 1)
    text = f"{date.year + 400 * era:04d}-{date.month:02d}-{date.day:02d}"
    seconds, part = divmod(clock * 86400, UNITS[unit])
    whole = f"T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    digits = {"ms": 3, "us": 6, "ns": 9}.get(unit)
    if digits:
        return f"{text}{whole}.{part // 86400:0{digits}d}"
    return text + whole[:{"D": 0, "h": 3, "m": 6, "s": 9}[unit]]


@lru_cache(None)
def type_of(name):
    return Type(name)


def text_of_bytes(raw):
    text = raw.rstrip(b"\0")
    if not text.startswith(b"0x") and all(0x20 <= byte < 0x7f for byte in text):
        return text.decode()
    return "0x" + raw.hex()


def nearest_bits(number, base):
    """Bits of the float that is nearest to a fraction, ties to even; None: it is too large."""
    kind = type_of(base)
    sign = kind.sign if number < 0 else 0
    unit_place = (1 << kind.exponent_bits - 1) + kind.fraction_bits - 2  # the least positive number is 2^-unit_place
    number = abs(Fraction(number)) * (1 << unit_place)
    place = max((number.numerator // number.denominator).bit_length() - kind.fraction_bits - 1, 0)
    significand = round(number / (1 << place))  # to even
    bits = (place << kind.fraction_bits) + significand
    return sign | bits if bits < kind.infinity else None


def double_of(number):
    """Returns the float nearest to a fraction or integer."""
    bits = nearest_bits(number, "f64")
    return struct.unpack("<d", struct.pack("<Q", bits))[0] if bits is not None else float("inf") * (1 if number > 0 else -1)


def double_text(number):
    """repr of a Python float, without .0."""
    return repr(number).removesuffix(".0")


@lru_cache(100000)
def float_text(value, base):
    """The shortest text that reads back as this finite number of the type."""
    number = float(value)  # exact: every type is a part of f64
    if base == "f64":
        return double_text(number)
    bits = nearest_bits(value, base)
    for precision in range(17):
        digits, exponent = f"{number:.{precision}e}".split("e")
        step = Fraction(10) ** (int(exponent) - precision)
        near = [Fraction(f"{digits}e{exponent}") + more * step for more in (0, 1, -1)]  # a power of two has unequal neighbors
        same = [text for text in near if nearest_bits(text, base) == bits]
        if same:
            return in_notation(f"{float(min(same, key=lambda text: abs(text - value))):.{precision}e}")
    raise ValueError(number)


def in_notation(text):
    """1.5e+00 in the notation of repr."""
    digits, exponent = text.split("e")
    sign = "-" if digits[0] == "-" else ""
    digits = digits.lstrip("-").replace(".", "").rstrip("0") or "0"
    place = int(exponent) + 1  # of the point, in the digits
    if digits == "0":
        return sign + "0"
    if -4 < place <= 16:
        if place <= 0:
            return f"{sign}0.{'0' * -place}{digits}"
        digits = digits.ljust(place, "0")
        return sign + digits[:place] + ("." + digits[place:] if digits[place:] else "")
    return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{place - 1:+03d}"


class Field:
    """A type at a place of a record, as OFF:TYPE gives it."""

    def __init__(self, off, name):
        self.off, self.type = off, type_of(name)
        self.end = off + self.type.bytes
        self.text = f"{off}:{name}"  # as options give it: a name, too

    def alike(self, is_key=False, is_falling=False):
        """The same field, as a key or not."""
        field = Key(self.off, self.type.name, is_falling) if is_key else Field(self.off, self.type.name)
        return field.named(self.text)

    def named(self, text):
        self.text = text
        return self

    def of(self, record):
        return record[self.off:self.end]

    def value(self, record):
        return self.type.value(record[self.off:self.end])


class Key(Field):
    def __init__(self, off, name, is_falling=False):
        super().__init__(off, name)
        self.is_falling = is_falling

    @property
    def option(self):
        return self.text + (":desc" if self.is_falling else "")


def ordinal(type, raw, is_falling, nan_place):
    """By which elements are ordered: the exact reverse if it falls; NaNs where they are asked to be."""
    is_nan, rank = type.rank(raw)
    if is_falling:
        rank = -rank
    nans_first = is_falling if nan_place is None else nan_place == "first"
    return (is_nan ^ 1 if nans_first else is_nan), rank


def random_bits(rng, type, style):
    """Bits of a number: few different ones, special ones, or any."""
    if type.is_bytes:
        return rng.choice([0x61, 0x62, 0x7a]) << type.bits - 8 if style == "few" else rng.getrandbits(type.bits)
    if style == "three":
        bits = rng.randrange(3)
        return nearest_bits(Fraction(bits, 2), type.base) if type.is_float else bits << type.bits - 8 if type.is_bytes else bits
    if style == "nans":  # all but a few, which differ in their bits
        if type.is_float and rng.random() < 0.99:
            return rng.randrange(type.infinity + 1, type.sign) | rng.choice([0, type.sign])
        style = "few"
    if style == "few":
        if type.is_float:
            return nearest_bits(Fraction(rng.randrange(-8, 9), 4), type.base)
        return rng.randrange(-4 if type.is_signed else 0, 9) % (1 << type.bits)
    if style == "special" and type.is_float:
        infinity = type.infinity
        size = rng.choice([0, 0, 1, infinity, infinity + 1, infinity - 1, infinity // 2, infinity // 2 + 1, infinity | type.sign >> 5, rng.getrandbits(type.bits - 1)])
        return size | rng.choice([0, type.sign])
    if style == "special":
        return rng.choice([0, 1, 2, (1 << type.bits) - 1, type.sign, type.sign - 1, type.sign + 1])
    if style == "near" and type.is_float:
        return nearest_bits(Fraction(round(rng.gauss(0, 100) * 16), 16), type.base)
    if style == "near":
        return int(abs(rng.gauss(50, 20))) % min(1 << type.bits, 120)
    return rng.getrandbits(type.bits)
