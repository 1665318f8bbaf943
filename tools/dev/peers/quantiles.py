#!/usr/bin/env python3
"""quantiles.py BIN [COUNT [ROUNDS]]: times five exact quantiles of random f64 without a sort, by gsort and by DuckDB, in turn.

gsort reads the plain file with -S 256M. DuckDB reads the same column in Parquet (quantile_disc, memory_limit 2GB). Each has 2 threads.
Needs root (the page cache is dropped before each run), duckdb and pyarrow (tools/dev/setup.sh tests puts them into build/python).
Compares the values. Prints the medians and their ratio, and says when DuckDB has too little memory.
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
from measuring import Failed, alternate, drop_cache

WANTED = [0.1, 0.25, 0.5, 0.9, 0.99]
BATCH = 1 << 22


def make(count):
    random = numpy.random.default_rng(3)
    schema = pyarrow.schema([('x', pyarrow.float64())])
    with pyarrow.parquet.ParquetWriter('quantiles.parquet', schema, compression='none', use_dictionary=False) as parquet, \
            open('quantiles.f64', 'wb') as plain:
        for first in range(0, count, BATCH):
            batch = random.random(min(BATCH, count - first))
            plain.write(batch.tobytes())
            parquet.write_table(pyarrow.table({'x': batch}))


def by_gsort(gsort):
    done = subprocess.run([gsort, '--stats-only', '--stats=json', '--quantiles', ','.join(map(str, WANTED)), '-S', '256M',
                           '--parallel', '2', 'quantiles.f64'], check=True, stdout=subprocess.PIPE)
    return [float(row['value']) for row in json.loads(done.stdout)['quantiles']]


def by_duckdb():
    connection = duckdb.connect(config={'memory_limit': '2GB', 'threads': 2, 'temp_directory': 'duck.tmp'})
    try:
        return connection.execute(f"SELECT quantile_disc(x, {WANTED}) FROM 'quantiles.parquet'").fetchone()[0]
    except duckdb.OutOfMemoryException as refusal:
        raise Failed(str(refusal).splitlines()[0])


def cold(work):
    drop_cache()
    begin = time.monotonic()
    values = work()
    return time.monotonic() - begin, values


def main():
    gsort = os.path.join(sys.argv[1], 'gsort')
    count, rounds = [int(word) for word in (sys.argv[2:] + ['100000000', '3'][len(sys.argv) - 2:])]
    make(count)
    found = alternate({'gsort': lambda: cold(lambda: by_gsort(gsort)), 'DuckDB': lambda: cold(by_duckdb)}, rounds)
    os.unlink('quantiles.f64')
    os.unlink('quantiles.parquet')
    if len({tuple(values) for turns in found.values() for _, values in turns}) > 1:
        sys.exit(f'quantiles.py: other values: {found}')
    medians = {name: statistics.median(seconds for seconds, _ in turns) for name, turns in found.items()}
    print(f'{count} f64:', ', '.join(f'{name} {seconds:.2f} s' for name, seconds in medians.items()))
    if 'DuckDB' in medians:
        print(f'DuckDB {duckdb.__version__}, ratio {medians["gsort"] / medians["DuckDB"]:.3f}')


if __name__ == '__main__':
    main()
