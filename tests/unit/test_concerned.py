#!/usr/bin/env python3
"""tools/dev/concerned: a test of each rule is among those that it lists."""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
ROWS = [  # a file, tests that are listed for it, tests that are not
    ('tests/unit/run/test_deltas.c', 'test_deltas', 'test_short_jobs'),
    ('tests/cli/where/npy.sh', 'where/npy', 'cli_where'),
    ('tests/cli/where/literals.py', 'cli_where', ''),
    ('tests/python/test_arrow.py', 'python_arrow', ''),
    ('tests/support/calls.h', 'test_durable', 'test_deltas'),
    ('src/output/sink.c', 'test_sink test_verify parts/beyond_4_gib test_short_jobs', 'test_deltas'),
    ('src/run/deltas.cc', 'test_deltas test_short_jobs', 'test_frame'),
    ('src/element/fold/pre_aggregate.c', 'test_fold', 'test_deltas'),
    ('tools/gsort/gsort.c', 'cli_options report/notes', 'test_short_jobs')]


def main():
    for file, wanted, others in ROWS:
        done = subprocess.run([f'{ROOT}/tools/dev/concerned', os.path.join(ROOT, file)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        found = {line.split()[0] for line in done.stdout.splitlines()}
        if done.returncode != 0 or not set(wanted.split()) <= found or set(others.split()) & found:
            sys.exit(f'{file}:\n{done.stdout}')


if __name__ == '__main__':
    main()
