#!/usr/bin/env python3
"""values_model.py SEED CASES: random jobs of --values by gsort, which is in PATH, against a plain model.

A case is keys of a random type, many of them equal, and up to five files of values, sorted in a random way. Prints what is not as the
model has it."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'records'))
import model  # noqa: E402

NUMBERS = {'uint8': 1, 'int8': 1, 'u16': 2, 'f16': 2, 'u32': 4, 'i32be': 4, 'f32': 4, 'u64': 8, 'i64': 8, 'f64': 8, 'time64': 8, 'u128': 16, 'i128': 16}
WAYS = ['', '', '--spill always', '--spill always --compress zstd', '-S 24M', '--io threads --parallel 1', '--parallel 3 --chunk 128K',
        '--spill always --window 32K --chunk 128K']


def make_keys(source):
    """Options, the first key as --key has it, and the keys."""
    name = source.choice([*NUMBERS, None, None])
    width = NUMBERS[name] if name else source.choice([2, 5, 12, 33, 100])
    first = f'0:{name}' if name else f'{source.randint(0, width - 2)}:' + source.choice(['u16', 'i16be', 'b2', 'uint8:desc'])
    options = ['-t', name] if name else ['-R', str(width), '-k', first]
    n = source.choice([0, 1, 2, 50, 1000, source.randint(0, 60000)])
    some = [source.randbytes(width) for _ in range(source.choice([1, 5, 100, 10**6]) if n else 1)][:n + 1]
    return options, first, [source.choice(some) for _ in range(n)]


def make_values(source, n):
    """Files and their values."""
    files = []
    for i in range(source.choice([1, 1, 2, 3, 5])):
        width = source.choice([1, 2, 4, 4, 8, 8, 12, 100, source.randint(1, 300)])
        values = [source.randbytes(width) for _ in range(n)]
        with open(f'v{i}', 'wb') as file:
            file.write(b''.join(values))
        files.append((f'v{i}:{width}=o{i}', values))
    return files


def write_keys(source, keys):
    """One file or two."""
    cut = source.randint(0, len(keys)) if source.random() < 0.2 else len(keys)
    for name, part in (('k0', keys[:cut]), ('k1', keys[cut:])):
        with open(name, 'wb') as file:
            file.write(b''.join(part))
    return ['k0'] if cut == len(keys) else ['k0', 'k1']


def choose(source, options, first, keys):
    """Which elements are written, in order."""
    chosen = list(range(len(keys)))
    place = model.value_of(first.removesuffix(':desc'))[1]
    if source.random() < 0.2 and keys:
        begin = source.randint(0, len(keys))
        count = source.randint(0, len(keys) - begin)
        options += ['--range', f'{begin}:{count}']
        chosen = chosen[begin:begin + count]
    if source.random() < 0.25 and keys:
        shown = model.value_of(first.removesuffix(':desc'))[0]
        limit = shown(source.choice(keys))
        if limit == limit:
            text = '0x' + limit.hex() if isinstance(limit, bytes) else repr(limit)
            field = '' if options[0] == '-t' else first.removesuffix(':desc')
            options += ['--where', f'{field}>={text}']
            chosen = [i for i in chosen if shown(keys[i]) >= limit]
    is_reversed = source.random() < 0.3
    options += ['-r'] * is_reversed
    chosen.sort(key=lambda i: place(keys[i]), reverse=is_reversed != first.endswith(':desc'))
    if source.random() < 0.2:
        options.append('-u')
        chosen = [i for at, i in enumerate(chosen) if at == 0 or place(keys[i]) != place(keys[chosen[at - 1]])]
    if source.random() < 0.2:
        top = source.randint(0, len(keys) + 2)
        options += ['--top', str(top)]
        chosen = chosen[:top]
    return chosen


def is_wrong(name, wanted):
    with open(name, 'rb') as file:
        return file.read() != b''.join(wanted)


def run_case(source, case):
    options, first, keys = make_keys(source)
    files = make_values(source, len(keys))
    inputs = write_keys(source, keys)
    chosen = choose(source, options, first, keys)
    command = ['gsort', '--device=cpu', *options, *source.choice(WAYS).split(), *inputs, '-o', 'o']
    command += [word for text, _ in files for word in ('--values', text)]
    done = subprocess.run(command, capture_output=True, text=True)
    wrong = [] if done.returncode == 0 else [done.stderr.strip()]
    for name, elements in [('o', keys), *((f'o{i}', values) for i, (_, values) in enumerate(files))]:
        if done.returncode == 0 and is_wrong(name, [elements[i] for i in chosen]):
            wrong.append(name)
    if wrong:
        print(f'case {case}, {len(keys)} keys:', *command, '\n   ', *wrong)


def main():
    for case in range(int(sys.argv[2])):
        for name in os.listdir('.'):
            if name[0] in 'kov':
                os.unlink(name)
        run_case(random.Random(f'{sys.argv[1]} {case}'), case)


main()
