#!/usr/bin/env python3
"""quantiles.py BIN [COUNT [ROUNDS]]: seconds that five exact quantiles of random f64 take, without a sort, by gsort of the plain
file (-S 256M) and by DuckDB of the same column in Parquet (quantile_disc, memory_limit 2GB), 2 threads each, in turns.

Needs root (the page cache is dropped before each), duckdb and pyarrow (tools/dev/setup.sh tests puts them into build/python).
Values are compared. Prints the medians and their ratio; what DuckDB has no memory for is said.
"""
import json
import os
import statistics
import subprocess
import sys
import time

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from measuring import drop_cache

WANTED = [0.1, 0.25, 0.5, 0.9, 0.99]
PIECE = 1 << 22


def make(count):
    random = numpy.random.default_rng(3)
    schema = pyarrow.schema([('x', pyarrow.float64())])
    with pyarrow.parquet.ParquetWriter('quantiles.parquet', schema, compression='none', use_dictionary=False) as parquet, \
            open('quantiles.f64', 'wb') as plain:
        for first in range(0, count, PIECE):
            piece = random.random(min(PIECE, count - first))
            plain.write(piece.tobytes())
            parquet.write_table(pyarrow.table({'x': piece}))


def by_gsort(gsort):
    done = subprocess.run([gsort, '--stats-only', '--stats=json', '--quantiles', ','.join(map(str, WANTED)), '-S', '256M',
                           '--parallel', '2', 'quantiles.f64'], check=True, stdout=subprocess.PIPE)
    return [float(row['value']) for row in json.loads(done.stdout)['quantiles']]


def by_duckdb(_):
    connection = duckdb.connect(config={'memory_limit': '2GB', 'threads': 2, 'temp_directory': 'duck.tmp'})
    return connection.execute(f"SELECT quantile_disc(x, {WANTED}) FROM 'quantiles.parquet'").fetchone()[0]


def timed(work, gsort):
    drop_cache()
    begin = time.monotonic()
    values = work(gsort)
    return time.monotonic() - begin, values


def main():
    gsort = os.path.join(sys.argv[1], 'gsort')
    count, rounds = [int(word) for word in (sys.argv[2:] + ['100000000', '3'][len(sys.argv) - 2:])]
    make(count)
    seconds, duck_seconds = [], []
    for _ in range(rounds):
        taken, values = timed(by_gsort, gsort)
        seconds.append(taken)
        try:
            taken, others = timed(by_duckdb, gsort)
        except duckdb.OutOfMemoryException as refusal:
            print('DuckDB:', str(refusal).splitlines()[0])
            continue
        duck_seconds.append(taken)
        if others != values:
            sys.exit(f'other values: {values} {others}')
    os.unlink('quantiles.f64')
    os.unlink('quantiles.parquet')
    print(f'{count} f64: gsort {statistics.median(seconds):.2f} s', end='')
    if duck_seconds:
        print(f', DuckDB {duckdb.__version__} {statistics.median(duck_seconds):.2f} s,',
              f'ratio {statistics.median(seconds) / statistics.median(duck_seconds):.3f}')
    else:
        print()


if __name__ == '__main__':
    main()
