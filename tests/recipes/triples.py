"""A set of tuples."""
import collections
import struct


def rows(name, form='<QQQ'):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack(form, file.read()))


triples = set(rows('triples'))
assert 1000 < len(triples) < len(rows('triples'))
assert rows('spo') == sorted(triples)
assert rows('pos') == sorted((p, o, s) for s, p, o in triples)
assert rows('osp') == sorted((o, s, p) for s, p, o in triples)
assert rows('sevens') == sorted((p, o, s) for s, p, o in triples if p == 7) != []
assert rows('predicates', '<QQ') == sorted(collections.Counter(p for _, p, _ in triples).items())
