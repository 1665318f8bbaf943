#!/usr/bin/env python3
"""recipes.py BIN_DIR PAGE [NAME=VALUE]...: how long the blocks of a recipe take, gsort's and its peer's.

    tools/dev/peers/recipes.py build/release/bin tools/gsort/recipes/edges.md n=10000000

runs all blocks ```sh of PAGE in a scratch directory of the current one, with BIN_DIR first in PATH and these variables: the first one,
which makes the data, once, then all others three times, round by round. Prints of each the median and all seconds, and its first line.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 3


def main():
    bin_dir, page, *variables = sys.argv[1:]
    with open(page, encoding='utf-8') as file:
        blocks = re.findall(r'^```sh\n(.*?)^```\n', file.read(), re.MULTILINE | re.DOTALL)
    environment = {**os.environ, **dict(variable.split('=', 1) for variable in variables),
                   'PATH': os.path.abspath(bin_dir) + ':' + os.environ['PATH']}
    seconds = [[] for _ in blocks]
    with tempfile.TemporaryDirectory(prefix='gsort-recipes-', dir='.') as work:
        for number in range(ROUNDS):
            for i, block in enumerate(blocks):
                if i == 0 and number > 0:
                    continue
                start = time.monotonic()
                subprocess.run(['bash', '-eu', '-c', block], cwd=work, env=environment, stdout=subprocess.DEVNULL, check=True)
                seconds[i].append(time.monotonic() - start)
                subprocess.run(['sync'], check=True)
    for block, each in zip(blocks, seconds):
        print(f"{statistics.median(each):8.2f} ({', '.join(f'{one:.2f}' for one in each)})  {block.splitlines()[0]}")


if __name__ == '__main__':
    main()
