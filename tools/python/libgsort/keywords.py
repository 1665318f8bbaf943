"""Maps keywords to options of the library, and their values to the texts that the library
parses."""
from __future__ import annotations

import os
import re
from typing import (Any, Collection, Dict, List, Mapping, Optional, Sequence, TypedDict, Union)

from . import _c
from ._hints import np
from .errors import type_error

Path = Union[str, 'os.PathLike[str]']

Keys = Union[str, Sequence[str], None]

Descending = Union[bool, Sequence[bool]]  # of all keys, or of each one

# Keywords of NumPy, pandas and Polars that have another form here.
ELSEWHERE = {'axis': 'an array has one dimension: use a.reshape(-1), or one row',
             'kind': 'every sort here is stable',
             'stable': 'every sort here is stable',
             'ascending': 'descending=True sorts in descending order',
             'nulls_last': "use nan='last' for NaN and NaT",
             'inplace': 'sort() sorts in place, and sorted() returns a copy'}

# Other words for an option -> the word under which calls find it.
OTHER = 'order', 'key', 'keys'
SAME = {**dict.fromkeys(OTHER, 'by'), 'descending': 'reverse'}
KINDS = 'quicksort', 'mergesort', 'heapsort', 'stable'


class OtherKeys(TypedDict, total=False):
    """Other words for `by`."""

    order: Keys
    key: Keys
    keys: Keys


def named(options: Mapping[str, Any], **arguments: Any) -> Dict[str, Any]:
    """Returns the options and arguments of a call by the words of SAME. Raises a TypeError if two
    words for one option are given."""
    found: Dict[str, Any] = {}
    words: Dict[str, str] = {}
    for word, value in (*arguments.items(), *options.items()):
        name = SAME.get(word, word)
        if name in words and value is not None and value is not False:
            raise type_error(f'{words[name]} and {word} have the same meaning; give only one of '
                             f'them')
        if name not in ('by', 'reverse'):
            found[name] = value
        elif value is not None and value is not False:
            found[name], words[name] = value, word
    if isinstance(found.get('reverse'), (list, tuple)):
        raise type_error(f"{words['reverse']}: is True or False here; '-name' sorts one field in "
                         f"descending order")
    return found


def for_array(options: Dict[str, Any]) -> None:
    """Removes the words of NumPy that change nothing here, as every sort is stable and every array
    has one dimension."""
    kind, axis = options.pop('kind', None), options.pop('axis', -1)
    stable = options.pop('stable', None)
    if kind is not None and kind not in KINDS:
        raise type_error(f"kind: {kind!r} is not one of: {', '.join(KINDS)}; every sort here "
                         f"is stable")
    if stable not in (None, True, False):
        raise type_error(f'stable: {stable!r} is neither True nor False; every sort here is stable')
    if axis not in (-1, 0, None):
        raise type_error(f'axis: {axis!r} is not -1 or 0; an array has one dimension: use '
                         f'a.reshape(-1), or one row')


def nulls_of(nulls: Optional[str], nulls_last: Optional[bool]) -> Optional[str]:
    """Returns where nulls are put: 'first' or 'last', or None if neither argument is given."""
    if nulls is not None and nulls_last is not None:
        raise type_error('nulls and nulls_last have the same meaning; give only one of them')
    return nulls if nulls_last is None else 'last' if nulls_last else 'first'


def _read() -> Dict[str, _c.COption]:
    found: Dict[str, _c.COption] = {}
    at = _c.library.gs_option_at
    i = 0
    while at(i):
        row = at(i).contents
        if row.place != _c.OF_PROGRAM:
            found.update((name.decode().replace('-', '_'), row)
                         for name in (row.name, row.alias or row.name))
        i += 1
    found.update(by=found['key'], descending=found['reverse'])
    return found


ROWS = _read()  # keyword -> its row of the library's table


def options() -> Dict[str, str]:
    """Returns the keywords of calls that accept options, each with its meaning as in `gsort
    --help`.

    An option without a value is True or False. An option that may be repeated accepts one value or
    several. None: the option is not given. A call fails with an error if an option has no meaning
    for it.
    """
    return {keyword: ' '.join(row.help.decode().split()) for keyword, row in ROWS.items()
            if row.place == _c.OF_BOTH and not row.is_hidden and keyword != 'key'}


def row_of(keyword: str) -> _c.COption:
    if keyword in ELSEWHERE:
        raise type_error(f"'{keyword}' is not an option; {ELSEWHERE[keyword]}")
    if keyword not in ROWS:
        from difflib import get_close_matches
        near = ['by' if word in OTHER else word
                for word in get_close_matches(keyword, ROWS, 1, 0.5)]
        advice = f"did you mean '{near[0]}'?" if near else 'libgsort.options() lists them'
        raise type_error(f"'{keyword}' is not an option; {advice}")
    return ROWS[keyword]


# Verbs and letters of the command line -> their names in Python.
CALLS = {'--stats-only': 'stats()', '--check': 'check()', '-o FILE': 'output',
         '-t TYPE': "type='TYPE'", '-R N': 'record=N',
         '--parts': 'parts'}
COMMAND_LINE_WORD = re.compile(r'(?<![\w-])--[a-z][a-z-]*[a-z](?!\w)|(?<!gsort )(?<!FILE '
                               r')(?<!\w)-(?:o FILE(?!\.)|t TYPE|R N)(?!\w)')


def in_keywords(text: str, given: Collection[str] = ()) -> str:
    """Returns a message of the library with keywords instead of options: 'threads' instead of
    '--parallel', or 'parallel' if that was given. A file name at the start of the message does not
    change."""
    def keyword(match: re.Match[str]) -> str:
        word = match[0]
        row = ROWS.get(word[2:].replace('-', '_'))
        if row is None:
            return CALLS.get(word, word)
        names = [name for name, other in ROWS.items() if other.name == row.name]
        return next((name for name in names if name in given), names[-1])
    if text.startswith("'"):
        begin = text.find("': ") + 1
    else:
        name = text.partition(': ')[0]
        begin = len(name) if os.path.lexists(name) else 0
    return text[:begin] + COMMAND_LINE_WORD.sub(keyword, text[begin:])


def texts_of(row: _c.COption, value: Any) -> List[bytes]:
    """Returns the texts for the value of a keyword: one, or any number if the option may be
    repeated."""
    # no lines of an open file
    if (isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, '__iter__')
        or hasattr(value, 'read')):
        return [_text(row, value)]
    if not row.is_list:
        raise type_error(f'{row.name.decode()}: takes one value, not a {type(value).__name__}')
    return [_text(row, one) for one in value]


def is_true(value: Any) -> bool:
    """Returns whether the value of an option without an argument is true."""
    return (value.decode(errors='replace') if isinstance(value, bytes)
            else str(value)).lower() == 'true'


# arguments that are elements: the shortest text of a float may name another integer than its value
VALUES = b'VALUE', b'V[,V]...'


def _text(row: _c.COption, value: Any) -> bytes:
    if isinstance(value, (str, bytes, os.PathLike)):
        return c_text(value)
    is_path = row.argument in (b'FILE', b'DIR')
    if is_path or not hasattr(value, '__float__'):
        raise type_error(f"{row.name.decode()}: {type(value).__name__} is not "
                         f"{'a path' if is_path else 'text or a number'}")
    kind = getattr(getattr(value, 'dtype', None), 'kind', None)  # of NumPy's
    if kind == 'M':
        # a year alone would be a number
        return str(value.astype(np.promote_types(value.dtype, 'M8[D]'))).encode()
    text = str(value).lower()
    is_exact = (row.argument in VALUES and (isinstance(value, float) or kind in ('f', 'V'))
                and float(value) == value)
    if text[-1].isdigit() and ('e' in text or is_exact):  # 1e-05
        from decimal import Decimal
        text = format(Decimal(float(value) if is_exact else text), 'f')
    return text.encode()


def c_text(text: Union[Path, bytes]) -> bytes:
    """Returns the bytes of a text for C. Raises a ValueError for a null byte, at which C would end
    the text."""
    encoded = os.fsencode(text)
    if b'\0' in encoded:
        raise ValueError(f'{text!r}: contains a null byte')
    return encoded
