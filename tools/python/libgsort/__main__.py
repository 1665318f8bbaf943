"""python -m libgsort sort IN.parquet.. -o OUT.parquet: sorts Parquet files by columns. (The program
gsort sorts binary files.)"""
from __future__ import annotations

import argparse
import os
import sys
from typing import List, Optional

from . import _c
from .tables import sort_parquet
from .errors import Error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m libgsort',
                                     description='Sorts Parquet files, which may be larger than '
                                                 'memory.')
    parser.add_argument('--version', action='version', version=f'libgsort {_c.version()}')
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    sort = verbs.add_parser('sort',
                            help='sort one or several files into one, which appears whole or not '
                                 'at all')
    sort.add_argument('inputs', nargs='+', metavar='INPUT', help='files with the same columns')
    sort.add_argument('-o', '--output', required=True, metavar='FILE',
                      help='write the result to FILE, which may be an input')
    sort.add_argument('--by', action='append', metavar='COLUMN[,COLUMN]..',
                      help="sort by these columns, the first one first; '-COLUMN' sorts "
                           "descending; if --by is repeated, each names one column, "
                           'which may contain commas; default: all columns')
    sort.add_argument('-S', '--memory', metavar='SIZE',
                      help='use at most SIZE of memory: 500M, 2G, 25%%; default: half of the '
                           'available memory')
    sort.add_argument('--nulls', choices=('first', 'last'), default='last',
                      help='put nulls first or last, also if the order is descending; '
                           'default: last')
    sort.add_argument('-T', '--temp', metavar='DIR',
                      help="write temporary files to DIR; default: the output's folder")
    sort.add_argument('--compression', metavar='WORD',
                      help='compress all columns with zstd, snappy, none or another codec; '
                           'default: as in the first input')
    sort.add_argument('--compression-level', type=int, metavar='N',
                      help='compress with level N of the codec')
    sort.add_argument('--row-group-size', type=int, metavar='ROWS',
                      help='write row groups of at most ROWS rows; default: the largest row group '
                           'of the inputs')
    sort.add_argument('-q', '--quiet', action='store_true',
                      help='show no progress; default: show it on a terminal')
    return parser


def _with_descending_keys(arguments: List[str]) -> List[str]:
    """Joins --by and its value, because argparse takes a value that begins with '-' for an
    option."""
    made: List[str] = []
    for argument in arguments:
        if made and made[-1] == '--by':
            made[-1] += f'={argument}'
        else:
            made.append(argument)
    return made


def main(arguments: Optional[List[str]] = None) -> int:
    given = _parser().parse_args(_with_descending_keys(sys.argv[1:] if arguments is None
                                                       else arguments))
    os.environ.setdefault('ARROW_DEFAULT_MEMORY_POOL', 'system')  # other pools keep freed memory
    by = given.by[0].split(',') if given.by is not None and len(given.by) == 1 else given.by
    try:
        sort_parquet(given.inputs, given.output, by, given.memory, nulls=given.nulls,
                     temp=given.temp, compression=given.compression,
                     compression_level=given.compression_level, row_group_size=given.row_group_size,
                     progress=not given.quiet and sys.stderr.isatty())
    except KeyboardInterrupt:
        return 130
    except (Error, TypeError, ValueError, OSError, ImportError) as error:
        print(f'libgsort: {error}', file=sys.stderr)
        return int(_c.library.gs_status_exit_code(error.status)) if isinstance(error, Error) else 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
