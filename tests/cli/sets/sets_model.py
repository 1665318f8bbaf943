#!/usr/bin/env python3
"""sets_model.py SEED CASES: set operations on sorted files and pipes by gsort, which is in PATH, of numbers and records, many equal
keys and none, against a plain model of counters."""
import collections
import random
import struct
import subprocess
import sys

NUMBERS = {
    'u64': (lambda key: struct.pack('<Q', key), lambda e: struct.unpack('<Q', e)[0]),
    'i32': (lambda key: struct.pack('<i', key % 2**32 - 2**31), lambda e: struct.unpack('<i', e)[0]),
    'f64': (lambda key: struct.pack('<d', key - 20), lambda e: struct.unpack('<d', e)[0]),
    'i128': (lambda key: (key % 2**64 - 2**63 << 30 | key % 7).to_bytes(16, 'little', signed=True), lambda e: int.from_bytes(e, 'little', signed=True)),
}
KINDS = ['union', 'intersect', 'except', 'semi', 'anti']


def wanted(kind, files, key_of, is_distinct):
    """Elements that stay of each file, in its order; the merge puts equal keys in the order of the files."""
    counts = [collections.Counter(map(key_of, file)) for file in files]
    stay = []
    for i, file in enumerate(files):
        seen = collections.Counter()
        for element in file:
            key = key_of(element)
            at = seen[key]
            seen[key] += 1
            others = [count[key] for k, count in enumerate(counts) if k != i]
            if kind == 'union':
                is_kept = at >= max((count[key] for count in counts[:i]), default=0)
            elif i > 0:
                is_kept = False
            elif kind == 'intersect':
                is_kept = at < min(others, default=1 << 60)
            elif kind == 'except' and not is_distinct:
                is_kept = at >= sum(others)
            elif kind == 'semi':
                is_kept = sum(others) > 0
            else:
                is_kept = sum(others) == 0
            if is_kept:
                stay.append((key, i, len(stay), element))
    return stay


def main():
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    wrong = 0
    for case in range(cases):
        rng = random.Random(seed * 1000003 + case)
        is_record = rng.random() < 0.5
        is_reversed = rng.random() < 0.3
        number = rng.choice(list(NUMBERS))
        width = rng.choice([6, 9, 24])
        spread = rng.choice([1, 3, 50, 1000, 1 << 40])
        files = []
        for i in range(rng.choice([1, 2, 2, 3, 5])):
            n = rng.choice([0, 1, 5, 300, 3000, 9000])
            keys = [rng.randrange(spread) for _ in range(n)]
            if is_record:
                file = [struct.pack('<I', key & 0xffffffff) + rng.randbytes(width - 4) for key in keys]
            else:
                file = [NUMBERS[number][0](key) for key in keys]
            files.append(file)
        key_of = (lambda e: struct.unpack_from('<I', e)[0]) if is_record else NUMBERS[number][1]
        names = [f'{i}.in' for i in range(len(files))]
        for name, file in zip(names, files):
            file.sort(key=key_of, reverse=is_reversed)  # stable
            open(name, 'wb').write(b''.join(file))
        kind, is_distinct = rng.choice(KINDS), rng.random() < 0.3
        words = ['gsort', '-q', f'--merge={kind}', '-o', 'sets.out'] + ['-u'] * is_distinct + ['-r'] * is_reversed
        words += ['-R', str(width), '-k', '0:u32'] if is_record else ['-t', number]
        words += rng.choice([[], ['--window', '12K'], ['--window', '12K', '--batch-size', '2'], ['--parallel', '4'], ['-S', '20M']])
        pipes = {name: subprocess.Popen(['cat', name], stdout=subprocess.PIPE) for name in names if rng.random() < 0.3}
        names = [f'/dev/fd/{pipes[name].stdout.fileno()}' if name in pipes else name for name in names]
        done = subprocess.run(words + names, capture_output=True, pass_fds=[pipe.stdout.fileno() for pipe in pipes.values()])
        for pipe in pipes.values():
            pipe.stdout.close()
            pipe.wait()
        stay = wanted(kind, files, key_of, is_distinct)
        stay.sort(key=lambda row: ((-row[0] if is_reversed else row[0]), row[1], row[2]))
        want = [row[3] for row in stay]
        if is_distinct:
            want = [e for i, e in enumerate(want) if i == 0 or key_of(want[i - 1]) != key_of(e)]
        if done.returncode != 0 or open('sets.out', 'rb').read() != b''.join(want):
            wrong += 1
            print(f'seed {seed}, case {case}: exit {done.returncode}, {done.stderr.decode()[:200]}', ' '.join(words), [len(f) for f in files], spread)
    print(wrong, 'not as the model')


if __name__ == '__main__':
    main()
