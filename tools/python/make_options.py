#!/usr/bin/env python3
"""make_options.py: prints libgsort/_options.py: all keywords and their types, by the table of the
library that LIBGSORT_LIBRARY names.

    PYTHONPATH=tools/python tools/python/make_options.py >tools/python/libgsort/_options.py
"""
import re

from libgsort import keywords

HEAD = '''"""Keywords by the groups of `gsort --help`, for type checkers.

Made by make_options.py from the library's table.
"""
from __future__ import annotations

from typing import Sequence, TypedDict, Union

from .keywords import Path
'''
# The type for each kind of argument in the help. Other arguments are texts.
TYPES = {None: 'bool', b'N': 'int', b'K': 'Union[int, str]', b'SIZE': 'Union[int, str]',
         b'FILE': 'Path', b'DIR': 'Path',
         b'VALUE': 'Union[float, str]', b'P[,P]...': 'Union[float, str]',
         b'V[,V]...': 'Union[float, str]',
         b'[=LEVEL]': 'Union[bool, int]', b'[=SET]': 'Union[bool, str]',
         b'[=T]': 'Union[bool, str]', b'[=SEED]': 'Union[bool, int]'}


def type_of(row):
    one = TYPES.get(row.argument, 'str')
    return f'Union[{one}, Sequence[{one}]]' if row.is_list else one


def made():
    groups = {}
    for keyword, row in keywords.ROWS.items():
        # calls have it as an argument of its own
        if keyword in keywords.options() and keyword not in ('output', 'by', 'descending'):
            groups.setdefault(row.group.decode(), []).append((keyword, row))
    text = HEAD
    for group, rows in groups.items():
        text += f"\n\nclass {group.title().replace(' ', '')}(TypedDict, total=False):\n"
        for keyword, row in rows:
            sentence = re.split(r'(?<=[.]) ', keywords.options()[keyword])[0]
            line = f'    {keyword}: {type_of(row)}  # {sentence}'
            if len(line) > 100:
                line = f'    # {sentence}\n    {keyword}: {type_of(row)}'
            text += f'{line}\n'
    return text


if __name__ == '__main__':
    print(made(), end='')
