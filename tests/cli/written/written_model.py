#!/usr/bin/env python3
"""written_model.py SEED CASES: random jobs of --argsort and --out by gsort, which is in PATH, against a plain model.

A case is elements of a random type, many of them equal, in one file, several, or a pipe, sorted in a random way. Prints what is not as
the model has it."""
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'records'))
import model  # noqa: E402

NUMBERS = {'u32': 4, 'i32': 4, 'f32': 4, 'u64': 8, 'i64': 8, 'f64': 8, 'u128': 16}
SHORT = {'uint8': 1, 'int8': 1, 'u16': 2, 'i16': 2}
WAYS = ['', '', '--spill always', '--spill always --chunk 256K', '-S 12M --chunk 256K', '--io threads --parallel 1', '--parallel 3',
        '--spill always --window 32K --compress zstd']


def random_key(source, record):
    kinds = {**NUMBERS, **SHORT}
    name = source.choice([kind for kind in kinds if kinds[kind] <= record] + ['b'])
    width = kinds.get(name) or source.randint(1, record)
    text = f'b{width}' if name == 'b' else name + source.choice(['', 'be'])
    return f'{source.randint(0, record - width)}:{text}' + source.choice(['', '', ':desc'])


class Case:
    def __init__(self, source):
        self.source = source
        self.type = source.choice([*NUMBERS, None, None, None])
        self.width = NUMBERS[self.type] if self.type else source.choice([2, 3, 8, 16, 100, source.randint(2, 40)])
        self.keys = [f'0:{self.type}'] if self.type else [random_key(source, self.width) for _ in range(source.randint(0, 3))]
        self.options = ['-t', self.type] if self.type else ['-R', str(self.width), *(f'-k{key}' for key in self.keys)]
        n = source.choice([0, 1, 2, 100, 1000, source.randint(0, 30000)])
        some = [source.randbytes(self.width) for _ in range(source.choice([1, 5, 100, 10**6]) if n else 1)][:n + 1]
        self.elements = [source.choice(some) for _ in range(n)]
        self.chosen = list(enumerate(self.elements))
        self.is_positions = self.type is not None or source.random() < 0.5

    def take_range(self):
        n = len(self.elements)
        if self.source.random() < 0.15 and not self.is_pipe and n:
            first = self.source.randint(0, n)
            count = self.source.randint(0, n - first)
            self.options.append(f'--range={first}:{count}')
            self.chosen = self.chosen[first:first + count]

    def filter(self):
        if self.source.random() >= 0.3 or not self.elements:
            return
        limit = self.source.choice(self.elements)
        field = f'0:{self.type}' if self.type else f'0:b{min(self.width, 4)}'
        shown, place = model.value_of(field)
        value = shown(limit)
        if value != value:
            return
        text = value.hex() if isinstance(value, bytes) else repr(value)
        self.options += ['--where', ('' if self.type else field) + '>=' + ('0x' if isinstance(value, bytes) else '') + text]
        self.chosen = [(i, e) for i, e in self.chosen if shown(e) >= value]

    def sort(self):
        is_reversed = self.source.random() < 0.3
        self.options += ['-r'] * is_reversed
        for key in reversed(self.keys or [f'0:b{self.width}']):
            place = model.value_of(key)[1]
            self.chosen.sort(key=lambda pair: place(pair[1]), reverse=key.endswith(':desc') != is_reversed)

    def group(self):
        """Counts of those that stay; None: without."""
        self.counts = None
        if self.source.random() >= 0.3:
            return
        count = self.source.randint(1, len(self.keys)) if len(self.keys) > 1 and self.source.random() < 0.5 else len(self.keys)
        parts = [model.value_of(key)[1] for key in self.keys[:count] or [f'0:b{self.width}']]
        groups = {}
        for pair in self.chosen:
            groups.setdefault(tuple(part(pair[1]) for part in parts), []).append(pair)
        keep = self.source.choice(['first', 'last', 'singles', 'dups'])
        kept = [group for group in groups.values() if len(group) > 1 or keep != 'dups']
        kept = [group for group in kept if len(group) == 1 or keep != 'singles']
        self.chosen = [group[-1 if keep == 'last' else 0] for group in kept]
        self.options += ['-u', f'--keep={keep}'] + ([f'--group={count}'] if count < len(self.keys) else [])
        if self.source.random() < 0.4:
            self.options.append('--count')
            self.counts = [len(group) for group in kept]

    def cut(self):
        if self.source.random() < 0.2:
            top = self.source.choice([0, 1, 10, len(self.elements), 10**9])
            self.options.append(f'--top={top}')
            self.chosen = self.chosen[:top]

    def written(self):
        if self.is_positions:
            index = self.source.choice(['', 'u32', 'u64'])
            self.options += ['--argsort'] + ([f'--index={index}'] if index else [])
            pack = struct.Struct('<I' if index == 'u32' else '<Q').pack
            parts = [pack(i) for i, _ in self.chosen]
        else:
            fields = [(off, self.source.randint(1, self.width - off))
                      for off in (self.source.randrange(self.width) for _ in range(self.source.randint(1, 4)))]
            self.options.append('--out=' + ','.join(f'{off}:{length}' for off, length in fields))
            parts = [b''.join(e[off:off + length] for off, length in fields) for _, e in self.chosen]
        counts = [struct.pack('<Q', count) for count in self.counts] if self.counts is not None else [b''] * len(parts)
        return b''.join(part + count for part, count in zip(parts, counts))

    def run(self):
        self.is_pipe = self.source.random() < 0.25
        self.take_range()
        self.filter()
        self.sort()
        self.group()
        self.cut()
        want = self.written()
        way = self.source.choice(WAYS)
        data = b''.join(self.elements)
        cuts = sorted(self.source.randint(0, len(self.elements)) for _ in range(self.source.choice([0, 0, 2])))
        names = []
        for begin, end in zip([0, *cuts], [*cuts, len(self.elements)]):
            names.append(f'in{len(names)}')
            with open(names[-1], 'wb') as file:
                file.write(data[begin * self.width:end * self.width])
        command = ['gsort', '--raw', *self.options, *way.split(), '-o', 'got'] + ([] if self.is_pipe else names)
        job = subprocess.run(command, **({"input": data} if self.is_pipe else {"stdin": subprocess.DEVNULL}),
                             stderr=subprocess.PIPE, timeout=60)
        if job.returncode != 0:
            return ' '.join(command) + ': ' + job.stderr.decode()
        with open('got', 'rb') as file:
            return None if file.read() == want else ' '.join(command) + f': not the model\'s {len(want)} bytes'


def main():
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    wrong = 0
    for number in range(seed, seed + cases):
        what = Case(random.Random(number)).run()
        if what is not None:
            wrong += 1
            if wrong <= 5:
                print(f'case {number}: {what}')
    if wrong:
        print(f'{wrong} of {cases} cases are wrong')


main()
