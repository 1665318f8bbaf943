"""manifest.py FILE: the entries of the record of a sort that can go on (src/resume/journal.h), one a line: type, bytes, and
the first number of each that has one (src/resume/entry.h)."""
import struct
import sys

TYPES = {1: 'BEGIN', 2: 'RUN', 3: 'MERGED', 4: 'WRITTEN', 5: 'DONE', 6: 'INPUTS'}
with open(sys.argv[1], 'rb') as file:
    data = file.read()
at = 0
while at + 24 <= len(data):
    kind, zero, size, _ = struct.unpack_from('<IIQQ', data, at)
    at += 24 + size
    if kind not in TYPES or zero != 0 or at > len(data):
        break
    print(TYPES[kind], size, struct.unpack_from('<Q', data, at - size)[0] if size >= 8 else '')
