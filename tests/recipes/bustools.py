"""A dictionary adds up counts; sorted tuples are in the order of bustools."""
import collections
import struct

RECORD = struct.Struct('<QQiIII')


def contents(name):
    """Returns the header and the records."""
    with open(name, 'rb') as file:
        data = file.read()
    assert data[:4] == b'BUS\0'
    begin = 20 + struct.unpack_from('<I', data, 16)[0]
    return data[:begin], list(RECORD.iter_unpack(data[begin:]))


def collapsed(records, times=1):
    counts = collections.Counter()
    for *key, count, flags, padding in records:
        counts[(*key, flags, padding)] += count * times
    return [(barcode, umi, group, counts[barcode, umi, group, flags, padding], flags, padding)
            for barcode, umi, group, flags, padding in sorted(counts)]


header, raw = contents('raw.bus')
wanted = collapsed(raw)
assert 1000 < len(wanted) < len(raw) / 2
assert contents('sorted.bus') == contents('short.bus') == (header, wanted)
assert contents('both.bus') == (header, collapsed(raw, 2))
