"""A dictionary adds up; and the text that sort(1) and awk made of the same."""
import collections
import struct


def records(name):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack('<20sI', file.read()))


counts = collections.Counter()
for name in 'old.bin', 'new.bin':
    for digest, count in records(name):
        counts[digest] += count
found = records('all.bin')
assert found == sorted(counts.items()) and len(found) == 3 * len(records('old.bin')) // 2
with open('all.txt', encoding='ascii') as file:
    assert file.read() == ''.join(f'{digest.hex()}:{count}\n' for digest, count in found)
assert records('most.bin') == sorted(found, key=lambda record: (-record[1], record[0]))[:1000]
