"""manifest.py FILE: prints the entries of the journal of a resumable sort (src/resume/journal.h), one per line. A line has the type,
the bytes, and the first number, if there is one (src/resume/entry.h)."""
import struct
import sys

TYPES = {1: 'BEGIN', 2: 'RUN', 3: 'MERGED', 4: 'WRITTEN', 5: 'DONE', 6: 'INPUTS', 7: 'COUNTS'}
with open(sys.argv[1], 'rb') as file:
    data = file.read()
at = 0
while at + 24 <= len(data):
    kind, zero, size, _ = struct.unpack_from('<IIQQ', data, at)
    at += 24 + size
    if kind not in TYPES or zero != 0 or at > len(data):
        break
    print(TYPES[kind], size, struct.unpack_from('<Q', data, at - size)[0] if size >= 8 else '')
