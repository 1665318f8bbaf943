"""Compares structs and calls of libgsort._c with src/gsort.h."""
import ctypes
import os
import re
import sys

import pytest

from libgsort import _c

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'abi'))
import check_abi  # noqa: E402

HEADER = check_abi.read(os.path.join(ROOT, 'src', 'gsort.h'))
# tests/abi compares this list with the header, too: 'struct.field' -> (offset, bytes), 'struct' -> (bytes,).
LAID_OUT = {words[0]: tuple(map(int, words[1:])) for words in
            (line.split() for line in check_abi.read(check_abi.LIST).splitlines() if not line.startswith('#'))}


@pytest.mark.parametrize('name', _c.MIRRORS)
def test_struct__is_laid_out_as_in_the_header(name):
    mirror = _c.MIRRORS[name]
    found = {f'{name}.{field}': (getattr(mirror, field).offset, getattr(mirror, field).size) for field, _ in mirror._fields_}
    wanted = {row: at for row, at in LAID_OUT.items() if row.startswith(name + '.')}
    assert found == wanted and (ctypes.sizeof(mirror),) == LAID_OUT[name]


@pytest.mark.parametrize('name', _c.CALLS)
def test_call__takes_as_many_arguments_of_these_sizes_as_in_the_header(name):
    text = re.search(rf'^GS_API [^;]*?\b{name}\(([^;]*)\);', check_abi.without_comments(HEADER), re.MULTILINE | re.DOTALL)
    declared = [] if text[1].strip() == 'void' else [' '.join(part.split()) for part in re.split(r',(?![^(]*\))', text[1])]  # but not in a callback's
    assert [size_of(part) for part in declared] == [ctypes.sizeof(kind) for kind in _c.CALLS[name][1]]


def size_of(argument):
    """Of `const char *text`, `uint64_t bytes`, .."""
    if '*' in argument:
        return 8
    return {'uint64_t': 8, 'size_t': 8, 'uint32_t': 4, 'bool': 1, 'enum': 4}[argument.split()[0]]


def test_statuses__have_an_exception_each():
    from libgsort import errors
    named = dict(re.findall(r'X\((GS_\w+), (-?\d+),', HEADER))
    assert sorted(map(int, named.values())) == sorted([0, *errors.STATUSES])
    assert all(kind('raised in Python').status == status for status, kind in errors.STATUSES.items())


@pytest.mark.parametrize('enum, of', [('gs_action', 'GS_'), ('gs_format', 'GS_FORMAT_'), ('gs_option_place', 'GS_OPTION_OF_')])
def test_enums__are_those_of_the_header(enum, of):
    body = re.search(rf'enum {enum} \{{(.*?)\}};', check_abi.without_comments(HEADER), re.DOTALL)[1]
    names = re.findall(rf'{of}(\w+)', body)
    here = {'gs_action': 'ACTION_', 'gs_format': 'FORMAT_', 'gs_option_place': 'OF_'}[enum]
    assert [getattr(_c, here + name) for name in names] == list(range(len(names))) and names
