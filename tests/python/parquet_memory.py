"""parquet_memory.py DIR GB MEMORY [SHAPE]...: prints the peak memory of a process that sorts a Parquet file of GB gigabytes.

Writes each shape to DIR, sorts it by its keys in a process of its own, and removes it. Prints a line for each. The shapes differ in the
memory that a row needs besides its bytes: `bytes` has rows of one byte, `wide` ten columns, `all` has all columns as keys.
"""
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1 << 20
KEYS = {'trades': ['sym', '-price'], 'wide': ['c0', '-c5'], 'text': ['c0'], 'long': ['c0'], 'bytes': ['c0'], 'all': None}
JOB = '''
import sys
import libgsort as gs
report = gs.sort_parquet(sys.argv[1], sys.argv[2], %r, sys.argv[3])
with open('/proc/self/status') as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith('VmHWM'))
print(f'{report.rows} rows, {report.runs} runs, {report.passes} passes, {report.seconds:.0f} s, peak {peak >> 10} MiB')
'''


def table(shape, rng, rows):
    def text(most, width=0):
        return pa.array([f'{i:0{width}}' for i in rng.integers(0, most, rows).tolist()]) if width else pa.array(rng.integers(0, most, rows)).cast(pa.string())
    if shape == 'trades':
        return pa.table({'time': rng.integers(0, 1 << 50, rows), 'sym': text(5000), 'price': rng.random(rows),
                         'qty': rng.integers(0, 1000, rows).astype('i4'), 'id': text(1 << 60)})
    if shape == 'wide':
        columns = [text(5000), text(1 << 60), *rng.random((8, rows))]
    elif shape == 'all':
        columns = [text(100), rng.integers(0, 9, rows), rng.random(rows), text(1 << 60)]
    else:
        columns = [text(1 << 60, 60) if shape == 'long' else text(1 << 60) if shape == 'text' else rng.integers(-128, 128, rows).astype('i1')]
    return pa.table(columns, [f'c{i}' for i in range(len(columns))])


def write(name, shape, most_bytes=1 << 60, rows=1 << 60):
    """Writes a file until it has that many bytes or rows."""
    rng = np.random.default_rng(1)
    with pq.ParquetWriter(name, table(shape, rng, 1).schema) as out:
        while rows > 0 and os.path.getsize(name) < most_bytes:
            out.write_table(table(shape, rng, min(rows, ROWS)))
            rows -= ROWS


def main(folder, gigabytes, memory, *shapes):
    source, target = (os.path.join(folder, name) for name in ('in.parquet', 'out.parquet'))
    for shape in shapes or KEYS:
        try:
            write(source, shape, float(gigabytes) * 1e9)
            told = subprocess.run([sys.executable, '-c', JOB % (KEYS[shape],), source, target, memory], capture_output=True, text=True, check=True).stdout
            print(f'{shape}, {os.path.getsize(source) / 1e9:.1f} GB, in {memory}: {told}', end='', flush=True)
        finally:
            for name in (source, target):
                if os.path.exists(name):
                    os.unlink(name)


if __name__ == '__main__':
    main(*sys.argv[1:])
