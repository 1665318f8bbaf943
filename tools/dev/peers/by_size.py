#!/usr/bin/env python3
"""by_size.py: seconds to sort random u64 in a given amount of memory, by the size of the file, beside other programs.

    by_size.py measure --bin build/release/bin [--stxxl FILE] [--sizes 512M,1G,..] [--memory 1G] [--rounds N]
                       [--only gsort,duckdb,..] >x.json
    python3 -m libgsort.plot x.json -o x.svg      (tools/python)

Each program reads and writes files in its own format, on the disk of the current directory; outputs are synced, the page
cache is dropped before (needs root), programs take turns, and every result is compared with gsort's.

    gsort    x.u64 to out, -S MEMORY, on the processors
    stxxl    stxxl::sort of a copy, in place (stxxl_sort.cc, built as peers.sh does); no more than 4 GiB
    duckdb   COPY (SELECT x ORDER BY x) of Parquet to Parquet, uncompressed, memory_limit MEMORY (the Python package)
    sort     GNU sort -n of the same numbers as text, -S MEMORY; no more than 512 MiB
    numpy    numpy.fromfile, sort, tofile: all in memory, whatever MEMORY says

A program that is not there is left out, and named on standard error.
"""
import argparse
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

from measuring import bytes_of, drop_cache

LABELS = {'stxxl': 'STXXL', 'duckdb': 'DuckDB', 'sort': 'GNU sort -n, as text', 'numpy': 'NumPy'}
MOST = {'stxxl': 4 << 30, 'sort': 512 << 20}

DUCKDB = '''
import duckdb, sys
c = duckdb.connect(config={"memory_limit": sys.argv[3] + "B", "temp_directory": "duck.tmp"})
c.execute("SET preserve_insertion_order = false")
c.execute("COPY (SELECT x FROM '%s' ORDER BY x) TO '%s' (FORMAT parquet, COMPRESSION uncompressed)" % (sys.argv[1], sys.argv[2]))
'''
NUMPY = 'import numpy, sys; x = numpy.fromfile(sys.argv[1], "<u8"); x.sort(); x.tofile(sys.argv[2])'


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


class Peers:
    def __init__(self, options):
        self.gsort = os.path.join(options.bin, 'gsort')
        self.gen = os.path.join(options.bin, 'gsort-gen')
        self.stxxl = options.stxxl
        self.memory = bytes_of(options.memory)
        there = {'gsort': True, 'stxxl': options.stxxl is not None, 'sort': shutil.which('sort') is not None,
                 'duckdb': importlib.util.find_spec('duckdb') is not None,
                 'numpy': importlib.util.find_spec('numpy') is not None}
        for name in (name for name in there if not there[name]):
            print(f'by_size.py: {name} is not here, and left out', file=sys.stderr)
        only = options.only.split(',') if options.only else there
        self.names = [name for name in there if there[name] and name in only]
        if 'stxxl' in self.names:
            with open('stxxl.conf', 'w') as file:
                file.write(f'disk={os.getcwd()}/stxxl.tmp,0,syscall unlink direct=on\n')
            os.environ.update(STXXLCFG='stxxl.conf', STXXLLOGFILE='/dev/null', STXXLERRLOGFILE='/dev/null')

    def at(self, size):
        return [name for name in self.names if size <= MOST.get(name, size)]

    def make(self, size):
        """The inputs, and what gsort makes of them."""
        run(self.gen, '--dist', 'uniform', '--type', 'u64', '--seed', '7', '--size', size, '-o', 'x.u64')
        run(self.gsort, '-q', 'x.u64', '-o', 'want.u64')
        if 'duckdb' in self.at(size):
            import duckdb
            duckdb.sql(f"COPY (SELECT hash(i)::UBIGINT AS x FROM range({size // 8}) t(i)) TO 'x.parquet' "
                       '(FORMAT parquet, COMPRESSION uncompressed)')
        if 'sort' in self.at(size):
            with open('x.txt', 'w') as file:
                run(self.gsort, '--head', size // 8, 'x.u64', stdout=file)

    def command(self, name):
        return {'gsort': [self.gsort, '-q', '--device', 'cpu', 'x.u64', '-o', 'out', '-S', self.memory],
                'stxxl': [self.stxxl, 'out', self.memory],
                'duckdb': [sys.executable, '-c', DUCKDB, 'x.parquet', 'out', self.memory],
                'sort': ['sort', '-n', '-S', f'{self.memory}b', '--parallel', os.cpu_count(), 'x.txt', '-o', 'out'],
                'numpy': [sys.executable, '-c', NUMPY, 'x.u64', 'out']}[name]

    def check(self, name):
        if name == 'duckdb':
            import duckdb
            sums = [duckdb.sql(f"SELECT count(*), sum(x), bit_xor(x) FROM read_parquet('{file}')").fetchall()
                    for file in ('x.parquet', 'out')]
            assert sums[0] == sums[1], 'DuckDB: another output'
        elif name == 'sort':
            run('sort', '-n', '-c', 'out')
        else:
            run('cmp', 'out', 'want.u64')

    def take(self, name):
        if os.path.exists('out'):
            os.unlink('out')
        if name == 'stxxl':
            shutil.copyfile('x.u64', 'out')
        drop_cache()
        begin = time.monotonic()
        run(*self.command(name), env=dict(os.environ, LC_ALL='C'), stdout=subprocess.DEVNULL)
        run('sync', 'out')
        return time.monotonic() - begin


def processor():
    with open('/proc/cpuinfo') as file:
        return next(line.split(':', 1)[1].strip() for line in file if line.startswith('model name'))


def measure(options):
    peers = Peers(options)
    rows = []
    for size in map(bytes_of, options.sizes.split(',')):
        peers.make(size)
        seconds = {}
        for turn in range(options.rounds):
            for name in peers.at(size):
                seconds.setdefault(name, []).append(round(peers.take(name), 3))
                if turn == 0:
                    peers.check(name)
        for name, values in seconds.items():
            rows.append({'name': name, 'size_bytes': size, 'seconds': values})
            print(f'{size >> 20:6} MiB {name:7} {statistics.median(values):8.2f} s', file=sys.stderr)
    for name in ('x.u64', 'x.parquet', 'x.txt', 'want.u64', 'out', 'stxxl.conf', 'stxxl.tmp'):
        if os.path.exists(name):
            os.unlink(name)
    json.dump({'memory_bytes': peers.memory, 'processor': processor(), 'processors': os.cpu_count(),
               'kernel': platform.release(), 'date': time.strftime('%Y-%m-%d'), 'labels': LABELS, 'results': rows}, sys.stdout, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser('measure')
    verb.add_argument('--bin', required=True, type=os.path.abspath)
    verb.add_argument('--stxxl', type=os.path.abspath)
    verb.add_argument('--sizes', default='512M,1G,2G,4G')
    verb.add_argument('--memory', default='1G')
    verb.add_argument('--rounds', type=int, default=3)
    verb.add_argument('--only')
    verb.set_defaults(call=measure)
    options = parser.parse_args()
    options.call(options)


if __name__ == '__main__':
    main()
