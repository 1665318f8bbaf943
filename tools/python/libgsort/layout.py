"""What the elements of a dtype are to the library: numbers of a type, or records with keys.

Numbers of 4 and 8 bytes in the machine's order are the fastest; those of 1 and 2 bytes are numbers, too. What else has an order is a
record of its size: the other byte order, bytes (S, V), text (U, up to 64 characters), structured dtypes by their fields.
"""
from __future__ import annotations

import ctypes

from . import _c
from .table import c_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence, Tuple, Union

    import numpy as np

    from .job import Job

    Keys = Union[str, Sequence[str], None]

# NumPy's numbers -> the library's.
NUMBERS = {'u4': 'u32', 'i4': 'i32', 'f4': 'f32', 'u8': 'u64', 'i8': 'i64', 'f8': 'f64', 'M8': 'i64', 'm8': 'i64'}
SMALL = ('b1', 'u1', 'i1', 'u2', 'i2', 'f2')
KEY_NUMBERS = {'b1': 'uint8', 'u1': 'uint8', 'i1': 'int8', 'u2': 'u16', 'i2': 'i16', 'f2': 'f16', **NUMBERS, 'M8': 'time64', 'm8': 'time64'}
# And back; bytes, where NumPy has no such number.
OF_LIBRARY = {**{word: kind for kind, word in KEY_NUMBERS.items() if kind not in ('b1', 'M8', 'm8')}, 'time64': 'i8',
              'bf16': 'V2', 'u128': 'V16', 'i128': 'V16'}


class Layout:
    """`type` of numbers, or else `record` and `key`. `has_nat`: numbers that may be NaT, which i64 puts first. dtype None: the keywords
    of a call, or the file, say it."""

    def __init__(self, dtype: Optional[np.dtype[Any]], type: Optional[str], record: int, key: Sequence[str],
                 has_nat: bool = False) -> None:
        self.dtype, self.type, self.record, self.key, self.has_nat = dtype, type, record, key, has_nat

    def put(self, job: Job) -> None:
        if self.dtype is not None and not job.given.isdisjoint(('type', 'record')):
            raise TypeError('type and record: the dtype says what they would')
        job.set('type', self.type)
        job.set('record', self.record or None)
        job.set('key', self.key)


def type_name(word: str) -> Optional[str]:
    """The library's name of a type of numbers, by any of its names; None: it is none."""
    found = _c.CType()
    if not _c.library.gs_type_find(c_text(word), ctypes.byref(found)):
        return None
    return str(found.name.decode())


def numpy_dtype(word: str) -> np.dtype[Any]:
    """Of the library's name of a type of numbers."""
    import numpy as np
    number = word[:-2] if word.endswith('be') else word
    return np.dtype(('>' if number != word else '<') + OF_LIBRARY[number])


def layout_by(dtype: Any, key: Keys = None) -> Layout:
    """What `dtype` means in every call of this package: NumPy's, wherever NumPy knows the word ('u8' has 8 bytes), else the library's
    ('u64', 'u16be', 'u128')."""
    import numpy as np
    try:
        known = np.dtype(dtype)
    except TypeError:
        word = type_name(dtype) if isinstance(dtype, str) else None
        if word is None:
            raise
        known = numpy_dtype(word)
        if not key:
            return Layout(known, word, 0, ())
    return layout_of(known, key)


def key_list(key: Keys) -> List[str]:
    return [] if key is None else [key] if isinstance(key, str) else list(key)


def layout_of(dtype: np.dtype[Any], key: Keys = None) -> Layout:
    """Of elements of `dtype`, by `key`: names of fields, '-name' or 'name:desc' for descending, 'outer.inner'; or 'OFF:TYPE[:desc]'."""
    wanted = key_list(key)
    if dtype.hasobject:
        raise TypeError(f'{dtype} holds Python objects, which have no bytes to sort')
    if dtype.subdtype is not None or dtype.itemsize < 1 or dtype.itemsize > 65536:
        raise TypeError(f'{dtype}: elements have 1 to 65536 bytes')
    kind = f'{dtype.kind}{dtype.itemsize}'
    if not wanted and dtype.isnative and kind in NUMBERS:
        return Layout(dtype, NUMBERS[kind], 0, (), dtype.kind in 'mM')
    if not wanted and kind in SMALL:
        return Layout(dtype, KEY_NUMBERS[kind] + ('' if dtype.isnative else 'be'), 0, ())
    found: List[str] = []
    for text in wanted or ['']:
        if text.partition(':')[0].isdigit():
            found.append(text)
            continue
        path, is_descending = _find(dtype, text)
        _add_keys(dtype, path, is_descending, found)
    if len(found) > 64:
        raise TypeError(f'{dtype}: {len(found)} keys; 64 are the most')
    return Layout(dtype, None, dtype.itemsize, found)


def _find(dtype: np.dtype[Any], text: str) -> Tuple[Tuple[str, ...], bool]:
    """The field that a text names; all of them: ''."""
    if text == '':
        return (), False
    for name, is_descending in (text, False), (text.removeprefix('-'), True), (text.removesuffix(':desc'), True):
        for path in ((name,), tuple(name.split('.'))):
            if _has(dtype, path):
                return path, is_descending
    fields = '; it has no fields' if dtype.names is None else f"; it has {', '.join(dtype.names)}"
    raise ValueError(f"'{text}' is no field of the dtype{fields}")


def _has(dtype: np.dtype[Any], path: Sequence[str]) -> bool:
    for name in path:
        if dtype.fields is None or name not in dtype.fields:
            return False
        dtype = dtype.fields[name][0]
    return True


def _add_keys(dtype: np.dtype[Any], path: Tuple[str, ...], is_descending: bool, found: List[str]) -> None:
    off, field = 0, dtype
    for name in path:
        assert field.fields is not None
        field, further = field.fields[name][:2]
        off += further
    if field.names is not None:
        for name in field.names:
            _add_keys(dtype, (*path, name), is_descending, found)
        return
    kind = f'{field.kind}{field.itemsize}'
    order = '' if field.isnative else 'be'
    desc = ':desc' if is_descending else ''
    if kind in KEY_NUMBERS:
        found.append(f'{off}:{KEY_NUMBERS[kind]}{order}{desc}')
    elif field.kind in 'SV' and field.subdtype is None:
        if field.itemsize > 0:
            found.append(f'{off}:b{field.itemsize}{desc}')
    elif field.kind == 'U':
        found.extend(f'{off + i}:u32{order}{desc}' for i in range(0, field.itemsize, 4))
    else:
        where = f" ('{'.'.join(path)}')" if path else ''
        raise TypeError(f'{field}{where} is no type of keys: integers, floats of 2 to 8 bytes, bool, bytes, text and times are'
                        + ("; 16 bits are 'f2'" if kind == 'f16' else ''))
