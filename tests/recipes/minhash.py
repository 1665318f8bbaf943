"""A dictionary of signatures makes groups; sorted tuples are in the wanted order."""
import collections
import glob
import struct


def rows(name, form):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack(form, file.read()))


groups = collections.defaultdict(list)
for number, name in enumerate(sorted(glob.glob('bucket_000/*.sig'))):
    for *signature, document in rows(name, '<8QI'):
        groups[tuple(signature)].append((number, document))
assert rows('00000.sorted', '<8QI') == sorted(rows('bucket_000/00000.minhash.sig', '<8QI'))
several = [(signature, sorted(members)) for signature, members in sorted(groups.items()) if len(members) > 1]
assert len(several) > 1000 and max(len(members) for _, members in several) > 2
assert rows('members.bin', '<8QII') == [(*signature, document, file) for signature, members in several for file, document in members]
assert rows('groups.bin', '<8QIIQ') == [(*signature, *members[0][::-1], len(members)) for signature, members in several]
assert rows('pairs.dups', '<4I') == [a + b for _, members in several for a, b in zip(members, members[1:])]
