"""Lists of neighbours, made edge by edge."""
import array


def numbers(name, kind):
    result = array.array(kind)
    with open(name, 'rb') as file:
        result.frombytes(file.read())
    return result.tolist()


edges = numbers('edges', 'I')
vertices, = numbers('vertices', 'Q')
pairs = list(zip(edges[::2], edges[1::2]))
for neighbours, offsets, edges in (('targets.u32', 'offsets.u64', pairs), ('sources.u32', 'transposed.u64', [(b, a) for a, b in pairs])):
    lists = [[] for vertex in range(vertices)]
    for vertex, other in edges:
        lists[vertex].append(other)
    found, begins = numbers(neighbours, 'I'), numbers(offsets, 'Q')
    assert len(begins) == vertices + 1 and begins[0] == 0 and begins[-1] == len(found) == len(pairs)
    assert [found[a:b] for a, b in zip(begins, begins[1:])] == [sorted(some) for some in lists]
    assert [] in lists
