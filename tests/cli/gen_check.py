#!/usr/bin/env python3
"""Does a data set on standard input have the properties of its distribution?

    gsort-gen --dist few --type f32 --count 20011 | gen_check.py few f32

Written from datasets/README.md alone; shares nothing with the generator. Silent and 0, or one line
and 1. Needs about 20000 elements: the statistical bounds are 5 standard errors wide or more.
"""
import bisect
import math
import struct
import sys

FORMATS = {"u32": "I", "i32": "i", "f32": "f", "u64": "Q", "i64": "q", "f64": "d"}
BITS = {"u32": 32, "i32": 32, "f32": 32, "u64": 64, "i64": 64, "f64": 64, "u128": 128, "i128": 128}
EPOCH_NS = 1700000000 * 10**9


class Broken(Exception):
    pass


def need(truth, text):
    if not truth:
        raise Broken(text)


class Data:
    def __init__(self, name, raw):
        self.type = name
        self.bits = BITS[name]
        self.is_float = name[0] == "f"
        width = self.bits // 8
        pieces = [raw[i : i + width] for i in range(0, len(raw), width)]
        self.words = [int.from_bytes(piece, "little") for piece in pieces]
        if self.bits == 128:
            self.values = [int.from_bytes(piece, "little", signed=name == "i128") for piece in pieces]
        else:
            self.values = list(struct.unpack(f"<{len(raw) // width}{FORMATS[name]}", raw))
        self.n = len(self.values)
        if self.is_float:
            self.low, self.high = -1e9, 1e9
        else:
            self.low = -(2 ** (self.bits - 1)) if name[0] == "i" else 0
            self.high = self.low + 2**self.bits

    def fractions(self):
        """Returns where the values are within their range, from 0 to 1."""
        return [(v - self.low) / (self.high - self.low) for v in self.values]

    def sort_key(self, word):
        """IEEE total order, with the negative NaNs after the positive ones."""
        if self.type[0] == "u":
            return word
        sign = 1 << (self.bits - 1)
        if self.type[0] == "i":
            return word ^ sign
        negative_nans = 2 ** (23 if self.bits == 32 else 52) - 1
        total = word ^ sign if word < sign else 2**self.bits - 1 - word
        return (total - negative_nans) % 2**self.bits


def moments(xs):
    mean = sum(xs) / len(xs)
    return mean, sum((x - mean) ** 2 for x in xs) / len(xs)


def is_rising(xs):
    return all(a <= b for a, b in zip(xs, xs[1:]))


def near(x, want, tolerance, what):
    need(abs(x - want) <= tolerance, f"{what} is {x}, not about {want}")


def check_in_range(data):
    need(all(data.low <= v < data.high for v in data.values), "a value out of range")


def check_uniform_values(data):
    check_in_range(data)
    mean, variance = moments(data.fractions())
    near(mean, 1 / 2, 5 * math.sqrt(1 / 12 / data.n), "mean")
    near(variance, 1 / 12, 0.003, "variance")


def check_uniform(data):
    check_uniform_values(data)
    need(len(set(data.values)) > 0.99 * data.n, "too many equal values")
    if not data.is_float:
        for bit in range(data.bits):
            ones = sum(word >> bit & 1 for word in data.words)
            near(ones, data.n / 2, 3 * math.sqrt(data.n), f"ones in bit {bit}")


def check_normal(data):
    if data.is_float:
        xs = data.values
    else:
        xs = [(x - 0.5) * 16 for x in data.fractions()]
    mean, variance = moments(xs)
    near(mean, 0, 5 / math.sqrt(data.n), "mean")
    near(variance, 1, 0.06, "variance")
    near(sum(x**4 for x in xs) / data.n, 3, 0.5, "fourth moment")
    for deviations, share in (1, 0.6827), (2, 0.9545), (3, 0.9973):
        inside = sum(abs(x) < deviations for x in xs) / data.n
        near(inside, share, 0.02, f"share within {deviations} deviations")


def check_zipf(data):
    ranks = 2**24
    need(all(1 <= v <= ranks and v == int(v) for v in data.values), "not a rank")
    harmonic = lambda n: math.log(n + 0.5) + 0.5772156649
    for limit in 10, 1000, 100000, 4000000:
        share = sum(v <= limit for v in data.values) / data.n
        near(share, harmonic(limit) / harmonic(ranks), 0.02, f"share up to {limit}")
    for rank in 1, 2, 3:
        share = data.values.count(rank) / data.n
        near(share, 1 / rank / harmonic(ranks), 0.01, f"share of {rank}")


def check_sorted(data):
    check_uniform_values(data)
    need(is_rising(data.values), "not sorted")


def check_reverse(data):
    check_uniform_values(data)
    need(is_rising(data.values[::-1]), "not in reverse order")


def check_nearly_sorted(data):
    check_uniform_values(data)
    ends = []  # least last value of a rising subsequence of each length
    for v in data.values:
        at = bisect.bisect_right(ends, v)
        ends[at : at + 1] = [v]
    near(1 - len(ends) / data.n, 0.01, 0.004, "share out of order")


def check_few(data):
    check_in_range(data)
    need(len(set(data.values)) == 100, f"{len(set(data.values))} values")
    counts = [data.values.count(v) for v in set(data.values)]
    need(min(counts) > data.n / 200 and max(counts) < data.n / 50, "one value prevails")


def check_equal(data):
    check_in_range(data)
    need(len(set(data.values)) == 1, "more than one value")


def check_organ_pipe(data):
    check_uniform_values(data)
    half = (data.n + 1) // 2
    need(is_rising(data.values[:half]), "first half does not rise")
    need(is_rising(data.values[half:][::-1]), "second half does not fall")


def check_sawtooth(data):
    check_in_range(data)
    for start in range(0, data.n, 10000):
        need(is_rising(data.values[start : start + 10000]), f"tooth at {start} does not rise")
    for start in range(10000, data.n, 10000):
        need(data.values[start - 1] > data.values[start], f"no edge at {start}")


def check_timestamps(data):
    base, period = (0, 1) if data.bits == 32 else (EPOCH_NS, 1000)
    slack = 256 if data.type == "f64" else 0  # of a double near the epoch
    for i, v in enumerate(data.values):
        early = base + i * period
        need(early - slack <= v <= early + 4 * period + slack, f"element {i} is {v}")
    need(not is_rising(data.values), "no event is late")


def float_edges(bits):
    mantissa = 23 if bits == 32 else 52
    infinity = (2 ** (bits - 1 - mantissa) - 1) << mantissa
    quiet = 1 << (mantissa - 1)
    positive = [0, 1, 2**mantissa - 1, 2**mantissa, infinity - 1, infinity, infinity | 1]
    positive += [infinity | quiet, 2 ** (bits - 1) - 1]
    return [edge | sign for edge in positive for sign in (0, 1 << (bits - 1))]


def integer_edges(bits):
    middle = 2 ** (bits - 1)
    return [0, 1, 2 * middle - 1, 2 * middle - 2, middle, middle + 1, middle - 1, middle - 2]


def check_specials(data):
    if data.bits == 128:
        edges = [edge << 64 | edge for edge in integer_edges(64)]
        need({0, 1, 2**64 - 1, 2**64, 2**128 - 1} <= set(data.words), f"an edge of {data.type} is missing")
    elif data.is_float:
        edges = float_edges(data.bits)
    else:
        edges = integer_edges(data.bits)
    need(data.words[: len(edges)] == edges, "it does not begin with the edges")
    share = sum(word in edges for word in data.words) / data.n
    want = 1 / 4 / 8 if data.bits == 128 else 1 / 2  # both halves edges, and the same one
    near(share, want, 0.03, "share of edges")
    if data.is_float:
        nans = [word for word, v in zip(data.words, data.values) if v != v]
        need(len(set(nans)) > 500, "few NaN payloads")
        near(sum(word >> (data.bits - 1) for word in nans) / len(nans), 0.5, 0.05, "negative NaNs")
        plain = [v for v, word in zip(data.values, data.words) if v == v and word not in edges]
        need(all(-1e9 <= v < 1e9 for v in plain), "a number out of range")


def check_bits(data):
    keys = {data.sort_key(word) for word in data.words}
    need(all(key % 2 ** (data.bits - 16) == 0 for key in keys), "a low bit differs")
    need(len(keys) > 15000, "few keys")


def main():
    distribution, name = sys.argv[1:]
    check = globals()["check_" + distribution.replace("-", "_")]
    try:
        check(Data(name, sys.stdin.buffer.read()))
    except Broken as broken:
        print(f"gen_check.py: {distribution} {name}: {broken}")
        return 1
    return 0


sys.exit(main())
