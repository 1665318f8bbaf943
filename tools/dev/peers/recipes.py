#!/usr/bin/env python3
"""recipes.py BIN_DIR PAGE [NAME=VALUE]...: times the blocks of a recipe, gsort's and those of its peers.

    tools/dev/peers/recipes.py build/release/bin tools/gsort/recipes/edges.md n=10000000

Runs all blocks ```sh of PAGE in a scratch directory of the current one, with BIN_DIR first in PATH and these variables. Runs a block ```console
too, if its first word is a program in PATH. The first block makes the data and runs once; the others run five times, in turn. Prints the
median of each, the least and the most, and its first line.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from measuring import alternate, spread, timed

ROUNDS = 5


def main():
    bin_dir, page, *variables = sys.argv[1:]
    with open(page, encoding='utf-8') as file:
        make, *blocks = [text for kind, text in re.findall(r'^```(sh|console)\n(.*?)^```\n', file.read(), re.MULTILINE | re.DOTALL)
                         if kind == 'sh' or shutil.which(text.split()[0])]
    environment = {**os.environ, **dict(variable.split('=', 1) for variable in variables),
                   'PATH': os.path.abspath(bin_dir) + ':' + os.environ['PATH']}

    def run(block):
        sample = timed(['bash', '-eu', '-c', block], cwd=work, env=environment)
        subprocess.run(['sync'], check=True)
        return sample.seconds
    with tempfile.TemporaryDirectory(prefix='gsort-recipes-', dir='.') as work:
        run(make)
        found = alternate({block: lambda block=block: run(block) for block in blocks}, ROUNDS)
    for block, seconds in found.items():
        print(f'{spread(seconds, ".2f"):24} {block.splitlines()[0]}')


if __name__ == '__main__':
    main()
