#!/usr/bin/env python3
"""model.py COMMAND ARGUMENTS: records for tests, and their order as Python sees it.

make N RECORD SEED FILE         N records of random bytes whose last 4 are the index, big endian
sort RECORD IN OUT KEY..        stable; keys as gsort takes them, "-r" among them: reversed
stats RECORD IN FIELD           count, min, max and sum as gsort prints them
"""
import struct
import sys
from math import isinf, isnan

CODES = {"uint8": "B", "int8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "f32": "f",
         "u64": "Q", "i64": "q", "f64": "d", "f16": "e", "time64": "q"}


def make(n, record, seed, path):
    import random  # here, for most runs only sort
    source = random.Random(seed)
    with open(path, "wb") as file:
        for i in range(n):
            body = bytearray(source.randbytes(max(record - 4, 0)))
            for at in range(0, len(body) - 8, 8):  # some numbers that are special to floats
                if source.random() < 0.2:
                    body[at:at + 8] = source.choice([b"\0" * 8, b"\0" * 7 + b"\x80", b"\xff" * 8,
                                                     struct.pack("<d", float("inf")),
                                                     struct.pack(">d", float("-inf")),
                                                     struct.pack("<4e", float("nan"), -0.0, 1e-7, -1),
                                                     struct.pack(">2f", float("nan"), -0.0)])
            file.write((bytes(body) + struct.pack(">I", i))[-record:])


def read(path, record):
    data = open(path, "rb").read()
    return [data[at:at + record] for at in range(0, len(data), record)]


def value_of(field):
    """The value of a field in a record, and what it compares by."""
    off, name = field.split(":")[:2]
    off, big = int(off), name.endswith("be")
    name = name[:-2] if big else name
    if name[0] == "b" and name != "bf16":
        size = int(name[1:])
        return lambda r: r[off:off + size], lambda r: r[off:off + size]
    if name in ("u128", "i128"):
        value = lambda r: int.from_bytes(r[off:off + 16], "big" if big else "little", signed=name == "i128")
        return value, value
    code = (">" if big else "<") + CODES.get(name, "f")
    size = struct.calcsize(code)
    value = lambda r: struct.unpack_from(code, r, off)[0]
    if name == "bf16":  # the upper half of an f32
        size = 2
        value = lambda r: struct.unpack(code, r[off:off + 2] + b"\0\0" if big else b"\0\0" + r[off:off + 2])[0]
    if name == "time64":  # NaT is the last
        return value, lambda r: (value(r) == -2**63, value(r))
    if "f" not in name:
        return value, value

    def place(r):  # numbers, -0 before 0, then NaN up by payload, then -NaN down by payload
        bits = int.from_bytes(r[off:off + size], "big" if big else "little")
        sign, x = bits >> (8 * size - 1), value(r)
        if isnan(x):
            return (1 + sign, -bits if sign else bits)
        return (0, x, -sign)
    return value, place


def sort(record, source, target, *keys):
    records = read(source, record)
    reverse = "-r" in keys
    keys = [key for key in keys if key != "-r"] or [f"0:b{record}"]
    for key in reversed(keys):  # stable by the last, then the one before it ..
        records.sort(key=value_of(key)[1], reverse=key.endswith(":desc") != reverse)
    open(target, "wb").write(b"".join(records))


def stats(record, source, field):
    from fractions import Fraction
    value = value_of(field)[0]
    values = [value(r) for r in read(source, record)]
    numbers = [x for x in values if not isnan(x)]
    print(len(values), min(numbers), max(numbers), sum(Fraction(x) for x in numbers if not isinf(x)))


if __name__ == "__main__":
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(int(arguments[0]), int(arguments[1]), int(arguments[2]), arguments[3])
    elif command == "sort":
        sort(int(arguments[0]), *arguments[1:])
    else:
        stats(int(arguments[0]), *arguments[1:])
