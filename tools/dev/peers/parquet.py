#!/usr/bin/env python3
"""parquet.py [--size 8G] [--memory 1G] [--rounds 3] [--dir DIR] [--only NAME,..]: a Parquet file of random rows, 10 columns, two of them
text, sorted by two keys into another one, by peers in turns, each a process of its own:

    codec    decoding and encoding by pyarrow alone, a row group at a time
    passes   Arrow's bytes of the table written to a file and read again, twice: what a sort that spills moves beside that
    gsort    libgsort.sort_parquet, memory=MEMORY
    duckdb   COPY .. ORDER BY, memory_limit MEMORY
    polars   scan_parquet().sort().sink_parquet(), in a control group of MEMORY or, where none can be made, RLIMIT_DATA of it

Prints medians of seconds, of user and system time together, and the most memory; and what each is to codec and passes. What comes out is in
order, of as many rows and with the same sum, or that is said, as is what has no memory for it. Takes four times the size of disk. Needs
libgsort, pyarrow, duckdb, polars (tools/dev/setup.sh tests puts them into build/python; LIBGSORT_LIBRARY, PYTHONPATH=tools/python).
"""
import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

UNITS = {'M': 1 << 20, 'G': 1 << 30}
ROWS = 1 << 17
GROUP = 1 << 20  # rows

WORK = {
    'codec': '''
import pyarrow.parquet as pq
file = pq.ParquetFile('in.parquet')
with pq.ParquetWriter('out.parquet', file.schema_arrow) as out:
    for i in range(file.num_row_groups):
        out.write_table(file.read_row_group(i), row_group_size=1 << 20)
''',
    'passes': '''
import os
import pyarrow.parquet as pq
left, block = int(open('arrow_bytes').read()), bytearray(os.urandom(1 << 22))
for _ in range(2):
    with open('bytes', 'wb', 0) as file:
        for _ in range(left >> 22):
            file.write(block)
    with open('bytes', 'rb', 0) as file:
        while file.readinto(block):
            pass
os.unlink('bytes')
''',
    'gsort': '''
import libgsort as gs
print(gs.sort_parquet('in.parquet', 'out.parquet', ['symbol', '-price'], MEMORY))
''',
    'duckdb': '''
import duckdb
duckdb.connect(config={'memory_limit': f'{MEMORY}B', 'temp_directory': 'duck.tmp'}).execute(
    "COPY (SELECT * FROM 'in.parquet' ORDER BY symbol, price DESC) TO 'out.parquet' (FORMAT parquet)")
''',
    'polars': '''
import polars as pl
pl.scan_parquet('in.parquet').sort('symbol', 'price', descending=[False, True]).sink_parquet('out.parquet', compression='snappy')
''',
}


def rows_of(rng):
    def text(most):
        return pa.array(rng.integers(0, most, ROWS)).cast(pa.string())
    return pa.table({'symbol': text(5000), 'price': rng.integers(0, 1_000_000, ROWS) / 100,
                     'time': pa.array(rng.integers(0, 1 << 50, ROWS)).cast(pa.timestamp('us')), 'id': rng.integers(0, 1 << 40, ROWS),
                     'a': rng.random(ROWS), 'b': rng.random(ROWS), 'c': rng.integers(0, 1 << 31, ROWS).astype('i4'),
                     'd': rng.integers(0, 1 << 62, ROWS), 'flag': rng.integers(0, 2, ROWS).astype(bool), 'note': text(1 << 60)})


def make(size):
    rng, done = np.random.default_rng(1), 0
    with pq.ParquetWriter('in.parquet', rows_of(rng).schema) as out:
        while os.path.getsize('in.parquet') < size:
            table = pa.concat_tables([rows_of(rng) for _ in range(GROUP // ROWS)])
            out.write_table(table, row_group_size=GROUP)
            done += table.nbytes
    with open('arrow_bytes', 'w') as file:
        file.write(str(done))


def summed(name):
    """Rows, and the sum of a column; None: the file is not in order."""
    file, total, last = pq.ParquetFile(name), 0, None
    for batch in file.iter_batches(columns=['symbol', 'price', 'd']):
        names, prices = batch['symbol'].cast(pa.int64()).cast(pa.string()).to_numpy(False), batch['price'].to_numpy()
        if name == 'out.parquet':
            bad = (names[:-1] > names[1:]) | (names[:-1] == names[1:]) & (prices[:-1] < prices[1:])
            if bad.any() or last is not None and (last[0] > names[0] or last[0] == names[0] and last[1] < prices[0]):
                return None
            last = names[-1], prices[-1]
        total += pc.sum(pc.bit_wise_and(batch['d'], (1 << 30) - 1)).as_py()
    return file.metadata.num_rows, total


def apart(function, *arguments):
    """What it returns, of a process of its own: what this one takes counts as theirs that it starts."""
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        return pool.apply(function, arguments)


def group_of(memory):
    """The tasks file of a control group; None: none can be made."""
    for base, limit in (('/sys/fs/cgroup/memory', 'memory.limit_in_bytes'), ('/sys/fs/cgroup', 'memory.max')):
        folder = os.path.join(base, f'gsort-peers-{os.getpid()}')
        try:
            os.mkdir(folder)
            with open(os.path.join(folder, limit), 'w') as file:
                file.write(str(memory))
            return folder
        except OSError:
            if os.path.isdir(folder):
                os.rmdir(folder)
    return None


def run(name, memory, folder):
    """Seconds, user and system seconds, MiB at the most, and what it said if it failed."""
    def enter():
        if name == 'polars' and folder is not None:
            with open(os.path.join(folder, 'cgroup.procs'), 'w') as file:
                file.write(str(os.getpid()))
        elif name == 'polars':
            import resource
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    os.sync()
    begin = time.monotonic()
    with open('told', 'w+') as told:
        process = subprocess.Popen([sys.executable, '-c', f'MEMORY = {memory}\n{WORK[name]}'], stdout=told, stderr=told, preexec_fn=enter)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        os.sync()
        told.seek(0)
        lines = told.read().split('\n')
    return (time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10,
            '' if process.returncode == 0 else f'ends with {process.returncode}: {next((line for line in lines if "Error" in line), "")[:90]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (('--size', '8G'), ('--memory', '1G')):
        parser.add_argument(name, type=lambda text: int(float(text[:-1]) * UNITS[text[-1]]), default=default)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--dir', default='.')
    parser.add_argument('--only', type=lambda text: text.split(','), default=list(WORK))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gsort-parquet-', dir=given.dir) as work:
        os.chdir(work)
        apart(make, given.size)
        want, found = apart(summed, 'in.parquet'), {name: [] for name in given.only}
        print(f'{want[0]} rows, {os.path.getsize("in.parquet") / 1e9:.2f} GB of Parquet, memory {given.memory >> 20} MiB', flush=True)
        folder = group_of(given.memory)
        for _ in range(given.rounds):
            for name in [name for name in given.only if name in found]:
                seconds, used, most, failed = run(name, given.memory, folder)
                if not failed and name in ('gsort', 'duckdb', 'polars') and apart(summed, 'out.parquet') != want:
                    failed = 'wrote something else'
                if failed:
                    print(f'{name:8} {failed}, after {seconds:.0f} s, {used:.0f} s of processors, {most} MiB', flush=True)
                    del found[name]
                else:
                    found[name].append((seconds, used, most))
        if folder is not None:
            os.rmdir(folder)
        medians = {name: [statistics.median(column) for column in zip(*samples)] for name, samples in found.items()}
        least = [sum(medians[name][i] for name in ('codec', 'passes') if name in medians) for i in (0, 1)]
        for name, (seconds, used, most) in medians.items():
            ratios = f'; to codec and passes {seconds / least[0]:.2f}, {used / least[1]:.2f}' if least[1] > 0 else ''
            print(f'{name:8} {seconds:7.1f} s, {used:7.1f} s of processors, {most:6.0f} MiB{ratios}')
        os.chdir('/')


if __name__ == '__main__':
    main()
