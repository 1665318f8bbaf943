"""Way by way and node by node, with dictionaries."""
import collections
import struct


def rows(name, form):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack(form, file.read()))


form = '<Q96x4I'
way_nodes, places = rows('way_nodes.bin', form), {node: at for node, *at in rows('nodes.bin', '<QII')}
assert rows('shapes.bin', form) == [(node, *places[node], way, place) for node, _, _, way, place in way_nodes]
by_id = sorted(way_nodes, key=lambda row: row[0])
assert [(row[0], row[3], row[4]) for row in rows('by_node.bin', form)] == [(row[0], row[3], row[4]) for row in by_id]
counts = collections.Counter(row[0] for row in way_nodes)
crossings = sorted((node, count) for node, count in counts.items() if count > 1)
assert rows('crossings.bin', '<QQ') == crossings and len(crossings) > 1000
