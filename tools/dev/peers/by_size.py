#!/usr/bin/env python3
"""by_size.py BIN: times sorts in a given amount of memory beside other programs, by the size of the file, in turn.

    by_size.py BIN [--sizes 512M,1G,..] [--memory 1G] [--rounds N] [--only gsort,duckdb,..] [--dir DIR] >x.json
    python3 -m libgsort.plot x.json -o x.svg      (tools/python)

Each program reads and writes files in its own format in DIR. The page cache is dropped before each run (needs root), and the time
includes a sync of the output, which is compared with gsort's. Medians go to standard error. Without --only, the first five run:

    gsort          random u64, -S MEMORY, on the processors
    stxxl          stxxl::sort of a copy, in place; at most 4 GiB (stxxl_sort.cc)
    duckdb         COPY (SELECT x ORDER BY x) from Parquet to Parquet, uncompressed, memory_limit MEMORY (the Python package)
    sort           GNU sort -n of the same numbers as text, -S MEMORY; at most 512 MiB
    numpy          numpy.fromfile, sort, tofile, all in memory
    resident       gsort without -S
    cp             cp
    copy           copies by io_uring and direct I/O (copy_loop.c)
    copy-twice     the same, twice, as a sort that spills does
    records        gsort of as many bytes as records of 100 bytes, by keys of 10, without -S
    records-bsort  bsort's method: radix sort in place, in a mapped copy (radix_mmap.c)
    records-numpy  numpy.sort of a structured array

A program that is not installed, or whose source does not compile, is left out and named on standard error.
"""
import argparse
import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

from measuring import Failed, alternate, bytes_of, drop_cache, place, spread, timed

LABELS = {'stxxl': 'STXXL', 'duckdb': 'DuckDB', 'sort': 'GNU sort -n, as text', 'numpy': 'NumPy'}
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {'copy_loop': ['gcc', '-D_GNU_SOURCE', 'copy_loop.c', '-luring'], 'radix_mmap': ['gcc', '-D_GNU_SOURCE', 'radix_mmap.c'],
           'stxxl_sort': ['g++', '-w', 'stxxl_sort.cc', '-lstxxl', '-fopenmp']}
DUCKDB = '''
import duckdb, sys
c = duckdb.connect(config={"memory_limit": sys.argv[3] + "B", "temp_directory": "duck.tmp"})
c.execute("SET preserve_insertion_order = false")
c.execute("COPY (SELECT x FROM '%s' ORDER BY x) TO '%s' (FORMAT parquet, COMPRESSION uncompressed)" % (sys.argv[1], sys.argv[2]))
'''
NUMPY = 'import numpy, sys; x = numpy.fromfile(sys.argv[1], "<u8"); x.sort(); x.tofile(sys.argv[2])'
NUMPY_RECORDS = '''
import numpy, sys
x = numpy.fromfile(sys.argv[1], [("key", "S10"), ("rest", "V90")])
numpy.sort(x, order="key").tofile(sys.argv[2])
'''
# needs: a program in PATH, a Python package, or one of SOURCES. copies: the file that is sorted in place. most: bytes.
Program = namedtuple('Program', 'command, needs, want, copies, most', defaults=(None, 'want.u64', None, None))


def programs(memory):
    gsort, gsort_records = ['gsort', '-q', '--device=cpu', 'x.u64', '-o', 'out'], ['gsort', '-q', '-R', '100', '-k', '0:b10']
    return {'gsort': Program([*gsort, '-S', memory]),
            'stxxl': Program(['./stxxl_sort', 'out', memory], 'stxxl_sort', copies='x.u64', most=4 << 30),
            'duckdb': Program([sys.executable, '-c', DUCKDB, 'x.parquet', 'out', memory], 'duckdb', None),
            'sort': Program(['sort', '-n', '-S', f'{memory}b', '--parallel', os.cpu_count(), 'x.txt', '-o', 'out'], 'sort', None,
                            most=512 << 20),
            'numpy': Program([sys.executable, '-c', NUMPY, 'x.u64', 'out'], 'numpy'),
            'resident': Program(gsort),
            'cp': Program(['cp', 'x.u64', 'out'], want='x.u64'),
            'copy': Program(['./copy_loop', 'x.u64', 'out'], 'copy_loop', 'x.u64'),
            'copy-twice': Program(['./copy_loop', 'x.u64', 'out', 2], 'copy_loop', 'x.u64'),
            'records': Program([*gsort_records, 'records', '-o', 'out'], want='want.records'),
            'records-bsort': Program(['./radix_mmap', 'out', 100, 10], 'radix_mmap', 'want.records', 'records'),
            'records-numpy': Program([sys.executable, '-c', NUMPY_RECORDS, 'records', 'out'], 'numpy', 'want.records')}


def is_there(program):
    if program.needs in SOURCES:
        compiler, *words = SOURCES[program.needs]
        words = [os.path.join(HERE, word) if '.c' in word else word for word in words]
        return subprocess.run([compiler, '-O3', '-march=native', *words, '-o', program.needs], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    return program.needs is None or shutil.which(program.needs) or importlib.util.find_spec(program.needs)


def make(size, names):
    """Makes the inputs, and the outputs that gsort makes of them."""
    subprocess.run(['gsort-gen', '--dist', 'uniform', '--type', 'u64', '--seed', '7', '--size', str(size), '-o', 'x.u64'], check=True)
    subprocess.run(['gsort', '-q', 'x.u64', '-o', 'want.u64'], check=True)
    if 'duckdb' in names:
        import duckdb
        duckdb.sql(f"COPY (SELECT hash(i)::UBIGINT AS x FROM range({size // 8}) t(i)) TO 'x.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
    if 'sort' in names:
        with open('x.txt', 'w') as file:
            subprocess.run(['gsort', '--head', str(size // 8), 'x.u64'], stdout=file, check=True)
    if any(name.startswith('records') for name in names):
        subprocess.run(['gsort-gen', '--dist', 'uniform', '--type', 'u32', '--size', str(size // 100 * 100), '-o', 'records'], check=True)
        subprocess.run(['gsort', '-q', '-R', '100', '-k', '0:b10', 'records', '-o', 'want.records'], check=True)


def is_right(name, program):
    if name == 'duckdb':
        import duckdb
        sums = [duckdb.sql(f"SELECT count(*), sum(x), bit_xor(x) FROM read_parquet('{file}')").fetchall() for file in ('x.parquet', 'out')]
        return sums[0] == sums[1]
    command = ['cmp', 'out', program.want] if program.want else ['sort', '-n', '-c', 'out']
    return subprocess.run(command, check=False).returncode == 0


def run(name, program):
    if os.path.exists('out'):
        os.unlink('out')
    if program.copies:
        shutil.copyfile(program.copies, 'out')
    drop_cache()
    sample = timed(program.command, lambda: subprocess.run(['sync', 'out'], check=True), env=dict(os.environ, LC_ALL='C'))
    if not is_right(name, program):
        raise Failed('another output')
    return round(sample.seconds, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bin', type=os.path.abspath)
    parser.add_argument('--sizes', default='512M,1G,2G,4G')
    parser.add_argument('--memory', type=bytes_of, default='1G')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--only')
    parser.add_argument('--dir', default='.')
    options = parser.parse_args()
    os.environ.update(PATH=options.bin + ':' + os.environ['PATH'], STXXLCFG='stxxl.conf', STXXLLOGFILE='/dev/null',
                      STXXLERRLOGFILE='/dev/null')
    rows, wanted = [], options.only.split(',') if options.only else ['gsort', *LABELS]
    with tempfile.TemporaryDirectory(prefix='gsort-peers-', dir=options.dir) as work:
        os.chdir(work)
        with open('stxxl.conf', 'w') as file:
            file.write(f'disk={work}/stxxl.tmp,0,syscall unlink direct=on\n')
        found = {name: program for name, program in programs(options.memory).items() if name in wanted}
        for name in [name for name in found if not is_there(found[name])]:
            print(f'by_size.py: {name} is not here, and left out', file=sys.stderr)
            del found[name]
        for size in map(bytes_of, options.sizes.split(',')):
            cases = {name: functools.partial(run, name, program) for name, program in found.items() if size <= (program.most or size)}
            make(size, cases)
            for name, seconds in alternate(cases, options.rounds).items():
                rows.append({'name': name, 'size_bytes': size, 'seconds': seconds})
                print(f'{size >> 20:6} MiB {name:14} {spread(seconds, ".2f")} s', file=sys.stderr)
        os.chdir('/')
    json.dump({**place(), 'memory_bytes': options.memory, 'labels': LABELS, 'results': rows}, sys.stdout, indent=1)


if __name__ == '__main__':
    main()
