"""numpy_oracle.py ROUNDS: sorts random arrays with gsort and with numpy.sort, in files that NumPy wrote and reads.
Prints what differs. GS_TEST_SEED replays."""
import os
import random
import subprocess
import sys

import numpy as np

NUMBERS = ['<u4', '<i4', '<f4', '<u8', '<i8', '<f8']
ODD = ['|u1', '|i1', '<u2', '>i2', '>u4', '>i4', '>f4', '>u8', '>i8', '>f8', '|S1', '|S7', '|S40']
WAYS = [[], ['--spill', 'always', '-S', '16M', '--chunk', '256K', '--window', '64K'], ['--io', 'threads', '--parallel', '1']]


def column(rng, dtype, n):
    """Values with ties, all signs, infinities and NaNs (one kind: NumPy says nothing of their order)."""
    dtype = np.dtype(dtype)
    if dtype.kind == 'S':
        return np.array([bytes(rng.choice(b'abc') for _ in range(rng.randrange(dtype.itemsize + 1)))
                         for _ in range(n)], dtype)
    if dtype.kind == 'f':
        pool = [1.5, -2.25, np.inf, -np.inf, np.nan, 0.0] + [rng.uniform(-1e6, 1e6) for _ in range(n // 3)]
        return np.array([rng.choice(pool) for _ in range(n)], dtype)
    info = np.iinfo(dtype)
    few = rng.randrange(2)
    low, high = (max(info.min, -3), 3) if few else (int(info.min), int(info.max))
    return np.array([rng.randint(low, high) for _ in range(n)], dtype)


def array_of(rng, n):
    """An array, the fields to sort by (None: it has none), and whether a field's order is the other way round."""
    if rng.randrange(3) == 0:
        return column(rng, rng.choice(NUMBERS + ODD), n), None
    names = ['f%d' % i for i in range(rng.randint(1, 5))]
    fields = {name: column(rng, rng.choice(NUMBERS + ODD), n) for name in names}
    dtype = np.dtype([(name, fields[name].dtype) for name in names], align=False)
    array = np.empty(n, dtype)
    for name in names:
        array[name] = fields[name]
    return array, rng.sample(names, rng.randint(1, len(names)))


def ranks(values):
    """Dense ranks, NaN above all: what lexsort can negate, whatever the type."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def want_of(array, keys, descending, is_reversed):
    if keys is None:
        rank = ranks(array)
        order = np.argsort(-rank if is_reversed else rank, kind='stable')
    else:
        columns = [ranks(array[key]) * (-1 if (key in descending) != is_reversed else 1) for key in keys]
        order = np.lexsort(columns[::-1])
    return array[order]


def main():
    seed = int(os.environ.get('GS_TEST_SEED', '0x5eed'), 0)
    for number in range(int(sys.argv[1])):
        rng = random.Random(seed + number)
        n = rng.choice([0, 1, 2, 100, 5000, 20000])
        array, keys = array_of(rng, n)
        while array.itemsize < 2:  # gsort's records have two bytes or more
            array, keys = array_of(rng, n)
        descending = [] if keys is None else [key for key in keys if rng.randrange(3) == 0]
        is_reversed = rng.randrange(3) == 0
        np.save('in.npy', array)
        command = ['gsort', 'in.npy', '-o', 'out.npy'] + rng.choice(WAYS) + ['-r'] * is_reversed
        for key in keys or []:
            command += ['-k', key + (':desc' if key in descending else '')]
        subprocess.run(command, check=True)
        got, want = np.load('out.npy'), want_of(array, keys, descending, is_reversed)
        if got.dtype != array.dtype or got.tobytes() != want.tobytes():
            print('seed %d, round %d: %s, %d elements of %s' % (seed, number, ' '.join(command), n, array.dtype))


if __name__ == '__main__':
    main()
