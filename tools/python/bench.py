#!/usr/bin/env python3
"""bench.py: compares sorts of arrays with NumPy, and of a table of three columns with Polars. Also
measures the time of an import.

Programs run in turns, on the same data.

    bench.py [--count N] [--repeat N] [--only f64,u64,argsort,records,table,import] [--json]

Prints medians of seconds, and the median of the ratios of gsort to the other. Needs NumPy, libgsort
from LIBGSORT_LIBRARY or a wheel, and Polars for the table.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time

import numpy as np

import libgsort as gs


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def beside(data, repeat, numpy_sorts, gsort_sorts):
    """Returns (seconds of NumPy, of gsort) for each turn. Each sorts a fresh copy that is already
    in memory."""
    a, turns = data.copy(), []
    for _ in range(repeat):
        pair = []
        for work in (numpy_sorts, gsort_sorts):
            a[:] = data
            pair.append(timed(lambda work=work: work(a)))
        turns.append(pair)
    return turns


def table(count, repeat, rng):
    """Returns (seconds of DataFrame.sort, of a Sorter) for each turn. Sorts three columns in memory
    by the first one."""
    import polars as pl
    frame = pl.DataFrame({'key': rng.integers(0, 2 ** 64, count, np.uint64),
                          'x': rng.normal(size=count),
                          'id': np.arange(count)})

    def gsort_sorts():
        with gs.Sorter(key='key', memory='4G', device='cpu') as sorter:
            sorter.push(frame)
            return pl.DataFrame(sorter)
    turns = [(timed(lambda: frame.sort('key', maintain_order=True)), timed(gsort_sorts))
             for _ in range(repeat)]
    assert gsort_sorts().equals(frame.sort('key', maintain_order=True))
    return turns


def importing(repeat):
    """Returns (seconds of a process without the import, of a process with it) for each turn."""
    def process(code):
        return timed(lambda: subprocess.run([sys.executable, '-c', code], check=True))
    process('import libgsort')
    return [(process('pass'), process('import libgsort')) for _ in range(4 * repeat)]


def cases(count, repeat):
    rng = np.random.default_rng(1)
    records = np.zeros(count // 10, [('price', '<f8'), ('time', '<i8')])
    records['price'], records['time'] = (rng.integers(0, 10_000, count // 10) / 4,
                                         rng.integers(0, 2 ** 40, count // 10))
    order = ['price', 'time']
    return {
        'f64': lambda: beside(rng.normal(size=count), repeat, np.ndarray.sort, gs.sort),
        'u64': lambda: beside(rng.integers(0, 2 ** 64, count, np.uint64), repeat, np.ndarray.sort,
                              gs.sort),
        'argsort': lambda: beside(rng.normal(size=count // 10), repeat,
                                  lambda a: np.argsort(a, kind='stable'), gs.argsort),
        'records': lambda: beside(records, repeat, lambda a: a.sort(order=order),
                                  lambda a: gs.sort(a, order=order)),
        'table': lambda: table(count // 5, repeat, rng),
        'import': lambda: importing(repeat),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=lambda text: int(float(text)), default=100_000_000)
    parser.add_argument('--repeat', type=int, default=5)
    parser.add_argument('--only')
    parser.add_argument('--json', action='store_true')
    options = parser.parse_args()
    found = {}
    for name, measure in cases(options.count, options.repeat).items():
        if options.only is None or name in options.only.split(','):
            turns = measure()
            first, second = (statistics.median(column) for column in zip(*turns))
            found[name] = {'samples': turns, 'medians': [first, second],
                           'ratio': statistics.median(b / a for a, b in turns)}
            if not options.json:
                what = {'import': ('nothing imported', 'libgsort imported'),
                        'table': ('Polars', 'gsort')}.get(name, ('NumPy', 'gsort'))
                print(f'{name:8} {what[0]} {first:.4f} s, {what[1]} {second:.4f} s, ratio '
                      f'{found[name]["ratio"]:.2f}', flush=True)
    if options.json:
        json.dump({'numpy': np.__version__, 'libgsort': gs.version(), 'count': options.count,
                   'cases': found}, sys.stdout, indent=1)


if __name__ == '__main__':
    main()
