#!/usr/bin/env python3
"""rows.py BIN [SET]... [--dir DIR] [--size BYTES] [--rounds N] [--args WORDS] [--json FILE]: times the commands of rows.txt.

A set of rows.txt is made of lines

    set NAME, warm or cold: what it is     cold: outputs synced and the page cache dropped before each command (needs root)
    make COMMAND                           makes the data, once, in a scratch directory of DIR; $SIZE is --size or what the set says
    NAME [/ OTHER [< AIM]]: COMMAND        a row; / OTHER: beside the row of that name, as the median of the rounds' ratios

The commands of a set take turns, round by round, after one round that only warms up. BIN is first in PATH, $ARGS is --args,
$PYTHON the Python that runs this (some sets need NumPy), $PEERS this folder. Prints a table in Markdown for each set: seconds (median,
least and most), user and system time, and the command. It also has the ratio with its aim, in bold if it missed that.
--json also writes every sample. --list prints the sets.
"""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile

from measuring import Failed, alternate, bytes_of, drop_cache, place, spread, timed


def read_sets(path):
    sets = {}
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            if found := re.fullmatch(r'set (\w+), (warm|cold), (\w+): (.*)', line):
                rows = sets[found[1]] = {'is_cold': found[2] == 'cold', 'size': found[3], 'title': found[4], 'make': [], 'rows': []}
            elif line.startswith('make '):
                rows['make'].append(line[5:])
            elif found := re.fullmatch(r'(.*?)(?: / (.*?))?(?: < ([\d.]+))?: (.*)', line):
                rows['rows'].append({'name': found[1], 'beside': found[2], 'aim': float(found[3]) if found[3] else None,
                                     'command': found[4]})
            else:
                sys.exit(f'{path}:{number}: neither set, make nor a row')
    return sets


def measure(rows, work, environment, rounds):
    def shell(command):
        try:
            return timed(['bash', '-eu', '-o', 'pipefail', '-c', command], cwd=work, env=environment)
        except Failed as failure:
            sys.exit(f'rows.py: {command}: {failure}')

    def run(row):
        if rows['is_cold']:
            drop_cache()
        return shell(row['command'])
    for command in rows['make']:
        shell(command)
    found = alternate({row['name']: lambda row=row: run(row) for row in rows['rows']}, rounds, warm_ups=1)
    for row in rows['rows']:
        for name in 'seconds', 'user', 'system':
            row[name] = [getattr(sample, name) for sample in found[row['name']]]
        if row['beside']:
            row['ratios'] = [a.seconds / b.seconds for a, b in zip(found[row['name']], found[row['beside']])]


def table(name, rows):
    print(f'\n### {name}: {rows["title"]}\n\n| row | s | user; system | / | ratio | aim | command |\n|---|---|---|---|---|---|---|')
    for row in rows['rows']:
        ratio = ''
        if row['beside']:
            ratio = spread(row['ratios'], '.2f')
            if row['aim'] and statistics.median(row['ratios']) > row['aim']:
                ratio = '**' + ratio.replace(' ', '** ', 1)
        print(f'| {row["name"]} | {spread(row["seconds"])} | {statistics.median(row["user"]):.3g}; {statistics.median(row["system"]):.3g} '
              f'| {row["beside"] or ""} | {ratio} | {row["aim"] or ""} | `{row["command"]}` |', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bin')
    parser.add_argument('sets', nargs='*')
    parser.add_argument('--dir', default='.')
    parser.add_argument('--size')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--args', default='')
    parser.add_argument('--json')
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    sets = read_sets(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'rows.txt'))
    if options.list:
        for name, rows in sets.items():
            print(f'{name:10} {rows["title"]}')
        return
    if unknown := [name for name in options.sets if name not in sets]:
        sys.exit(f'rows.py: no set {unknown[0]!r}; --list shows them')
    found = {}
    for name in options.sets or sets:
        rows = found[name] = sets[name]
        size = options.size or rows['size']
        rows['bytes'] = bytes_of(size)
        environment = {**os.environ, 'PATH': os.path.abspath(options.bin) + ':' + os.environ['PATH'], 'SIZE': str(rows['bytes']),
                       'ARGS': options.args, 'PYTHON': sys.executable, 'PEERS': os.path.dirname(os.path.abspath(__file__))}
        with tempfile.TemporaryDirectory(prefix='gsort-rows-', dir=options.dir) as work:
            measure(rows, work, environment, options.rounds)
        table(name, rows)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({**place(), 'args': options.args, 'sets': found}, file, indent=1)


if __name__ == '__main__':
    main()
