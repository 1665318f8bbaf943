#!/usr/bin/env python3
"""parquet.py [--size 8G] [--memory 1G] [--rounds 3] [--dir DIR] [--only NAME,..]: sorts a Parquet file by peers in turn.

The file has random rows of 10 columns, two of them text, and is sorted by two keys. Each peer is a process:

    codec    pyarrow decodes and encodes one row group after the other, without a sort
    passes   writes as many bytes as Arrow needs for the table and reads them, twice, as a sort that spills does
    gsort    libgsort.sort_parquet, memory=MEMORY
    duckdb   COPY .. ORDER BY, memory_limit MEMORY
    polars   scan_parquet().sort().sink_parquet(), in a control group of MEMORY or, where none can be made, RLIMIT_DATA of it

Prints the medians of seconds, of processor time and of peak memory, and their ratios to codec and passes together. Checks the order, the
number of rows and a sum of every output. Names the peers that fail. Needs four times the size on the disk, libgsort, pyarrow, duckdb, polars (tools/dev/setup.sh tests puts them into build/python; LIBGSORT_LIBRARY, PYTHONPATH=tools/python).
"""
import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from measuring import Failed, alternate, bytes_of, memory_limit, timed

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
    """Calls the function in another process, so that this one stays small: children start with its peak memory."""
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        return pool.apply(function, arguments)


def run(name, memory, limit, want):
    """Returns the Sample of one peer. Raises Failed if it fails or its output is wrong."""
    os.sync()
    sample = timed([sys.executable, '-c', f'MEMORY = {memory}\n{WORK[name]}'], os.sync, preexec_fn=limit if name == 'polars' else None)
    if name in ('gsort', 'duckdb', 'polars') and apart(summed, 'out.parquet') != want:
        raise Failed('wrote something else')
    return sample


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--size', type=bytes_of, default='8G')
    parser.add_argument('--memory', type=bytes_of, default='1G')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--dir', default='.')
    parser.add_argument('--only', type=lambda text: text.split(','), default=list(WORK))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gsort-parquet-', dir=given.dir) as work:
        os.chdir(work)
        apart(make, given.size)
        want = apart(summed, 'in.parquet')
        print(f'{want[0]} rows, {os.path.getsize("in.parquet") / 1e9:.2f} GB of Parquet, memory {given.memory >> 20} MiB', flush=True)
        with memory_limit(given.memory) as limit:
            found = alternate({name: lambda name=name: run(name, given.memory, limit, want) for name in given.only}, given.rounds)
        medians = {name: [statistics.median(getattr(sample, key) for sample in samples)
                          for key in ('seconds', 'processor_seconds', 'peak_bytes')] for name, samples in found.items()}
        least = [sum(medians[name][i] for name in ('codec', 'passes') if name in medians) for i in (0, 1)]
        for name, (seconds, used, most) in medians.items():
            ratios = f'; to codec and passes {seconds / least[0]:.2f}, {used / least[1]:.2f}' if least[1] > 0 else ''
            print(f'{name:8} {seconds:7.1f} s, {used:7.1f} s of processors, {most / (1 << 20):6.0f} MiB{ratios}')
        os.chdir('/')


if __name__ == '__main__':
    main()
