"""Maps a dtype to elements of the library: numbers of a type, or records with keys.

Numbers of 4 and 8 bytes in the machine's byte order are sorted fastest. Numbers of 1 and 2 bytes
are also sorted as numbers. All other elements are records: numbers of the other byte order, bytes
(S, V), text (U, up to 64 characters) and structured dtypes.
"""
from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _c
from ._hints import DType, np
from .errors import type_error
from .job import Job
from .keywords import Keys, c_text


@dataclass
class Layout:
    """Holds the `type` of numbers, or else `record` and `key`. dtype None: options of the call, or
    the file, define the elements."""

    dtype: Optional[np.dtype[Any]]
    type: Optional[str]
    record: int
    key: Sequence[str]

    def put(self, job: Job) -> None:
        if self.dtype is not None and not job.given.isdisjoint(('type', 'record')):
            raise type_error('type and record: cannot be used with dtype, which defines the '
                             'elements')
        if self.type:
            job.set('type', self.type)
        if self.record:
            job.set('record', self.record)
        if self.key:
            job.set('by', self.key)
        job.times = {} if self.dtype is None else times_of(self.dtype)


def type_of(word: str) -> Optional[_c.CType]:
    """Returns the library's type of numbers with this name. None: there is none."""
    found = _c.CType()
    return found if _c.library.gs_type_find(c_text(word), ctypes.byref(found)) else None


def type_name(word: str) -> Optional[str]:
    """Returns the library's main name for a type of numbers, from any of its names. None: `word` is
    not one."""
    found = type_of(word)
    return None if found is None else str(found.name.decode())


@functools.lru_cache(maxsize=64)
def number_name(dtype: np.dtype[Any]) -> Optional[str]:
    """Returns the library's type for numbers, bools and times of NumPy, and for bfloat16. None:
    `dtype` is another one."""
    if dtype.kind == 'V' and dtype.type.__name__ == 'bfloat16':  # of ml_dtypes
        return 'bf16' if dtype.isnative else 'bf16be'
    if dtype.kind not in 'biufmM':
        return None
    if dtype.kind == 'M' and type_name(dtype.str) is not None:
        return type_name(dtype.str)  # a time with a unit that the library knows
    order = '' if dtype.itemsize == 1 else dtype.str[0]
    return type_name(order + {'b': 'u', 'M': 'm'}.get(dtype.kind, dtype.kind) + str(dtype.itemsize))


def times_of(dtype: np.dtype[Any], off: int = 0) -> Dict[int, np.dtype[Any]]:
    """Returns offset -> dtype for each datetime64 and timedelta64 in an element."""
    if dtype.kind in 'mM':
        return {off: dtype.newbyteorder('=')}
    found: Dict[int, np.dtype[Any]] = {}
    for field in (dtype.fields or {}).values():
        found.update(times_of(field[0], off + field[1]))
    return found


def numpy_dtype(word: str) -> np.dtype[Any]:
    """Returns the dtype for the library's name of a type of numbers. It is bytes (V) if NumPy has
    no such number."""
    found = type_of(word)
    if found is None:
        raise type_error(f"'{word}' is not a type of numbers")
    letter = 'f' if found.is_float else 'i' if found.is_signed else 'u'
    order = '>' if word.endswith('be') else '<'
    number = f'{order}{letter}{found.element_bytes}'
    if found.element_bytes == 16 or (found.is_float and type_name(number) != word):
        return np.dtype(f'V{found.element_bytes}')
    return np.dtype(number)


def with_count(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of elements with a count: a field 'value', or the fields of `dtype`, and a
    field 'count'."""
    fields = {'value': (dtype, 0)}
    if dtype.names is not None and dtype.fields is not None:
        fields = {name: dtype.fields[name][:2] for name in dtype.names}
    fields['count'] = np.dtype('<u8'), dtype.itemsize
    formats, offsets = zip(*fields.values())
    return np.dtype({'names': list(fields), 'formats': formats, 'offsets': offsets,
                     'itemsize': dtype.itemsize + 8})


def layout_by(dtype: DType, key: Keys = None) -> Layout:
    """Returns the layout for the argument `dtype` of any call.

    dtype: a dtype of NumPy ('u8' has 8 bytes), or else a type of the library, such as 'u64',
        'u16be' or 'u128'
    """
    wanted = key_list(key)
    try:
        known = np.dtype(dtype)
    except TypeError as error:
        word = type_name(dtype) if isinstance(dtype, str) else None
        if word is None:
            raise type_error(f'dtype: {error}') from None
        known = numpy_dtype(word)
        if not wanted:
            return Layout(known, word, 0, ())
    return layout_of(known, wanted)


def key_list(key: Keys) -> List[str]:
    keys: List[Any] = ([] if key is None else [key] if isinstance(key, str)
                       or not hasattr(key, '__iter__') else list(key))
    for one in keys:
        if not isinstance(one, str):
            raise type_error(f"by: {type(one).__name__} is not text; give names of fields "
                             f"('-name' for descending) or OFF:TYPE")
    return keys


def layout_of(dtype: np.dtype[Any], key: Keys = None) -> Layout:
    """Returns the layout of elements of `dtype`, sorted by `key`.

    key: names of fields, with '-name' or 'name:desc' for descending and 'outer.inner' for inner
        fields; or 'OFF:TYPE[:desc]'
    """
    wanted = key_list(key)
    if dtype.hasobject:
        raise type_error(f'{dtype} holds Python objects, which have no bytes to sort')
    if dtype.subdtype is not None or dtype.itemsize < 1 or dtype.itemsize > 65536:
        raise type_error(f'{dtype}: elements must have 1 to 65536 bytes')
    number = number_name(dtype)
    if not wanted and number is not None and (dtype.isnative or dtype.itemsize < 4):
        return Layout(dtype, number, 0, ())
    found: List[str] = []
    paths: List[Tuple[str, ...]] = []
    for text in wanted or ['']:
        if _is_by_offset(dtype, text):
            found.append(text)
            continue
        path, is_descending = _find(dtype, text)
        if path in paths:
            raise ValueError(f"the field '{'.'.join(path)}' is given twice; only the first one has "
                             f"an effect")
        paths.append(path)
        _add_keys(dtype, path, is_descending, found)
    if len(found) > 64:
        raise type_error(f'{dtype}: has {len(found)} keys; at most 64 are possible')
    return Layout(dtype, None, dtype.itemsize, found)


def _is_by_offset(dtype: np.dtype[Any], text: str) -> bool:
    """Returns whether `text` is 'OFF:TYPE', and not a field whose name has only digits."""
    off, colon, what = text.partition(':')
    return off.isdigit() and colon != '' and not (_has(dtype, (text,)) or what == 'desc'
                                                  and _has(dtype, (off,)))


def _find(dtype: np.dtype[Any], text: str) -> Tuple[Tuple[str, ...], bool]:
    """Returns the path of the field that `text` names, and whether it is descending. '' names all
    fields."""
    if text == '':
        return (), False
    for name, is_descending in (text, False), (text.removeprefix('-'),
                                               True), (text.removesuffix(':desc'), True):
        for path in ((name,), tuple(name.split('.'))):
            if _has(dtype, path):
                return path, is_descending
    fields = '; it has no fields' if dtype.names is None else f"; it has {', '.join(dtype.names)}"
    raise ValueError(f"'{text}' is not a field of the dtype{fields}")


def _has(dtype: np.dtype[Any], path: Sequence[str]) -> bool:
    for name in path:
        if dtype.fields is None or name not in dtype.fields:
            return False
        dtype = dtype.fields[name][0]
    return True


def _add_keys(dtype: np.dtype[Any], path: Tuple[str, ...], is_descending: bool,
              found: List[str]) -> None:
    off, field = 0, dtype
    for name in path:
        assert field.fields is not None
        field, further = field.fields[name][:2]
        off += further
    if field.names is not None:
        for name in field.names:
            _add_keys(dtype, (*path, name), is_descending, found)
        return
    number = number_name(field)
    desc = ':desc' if is_descending else ''
    # other types of kind V are numbers, which are not ordered by bytes
    is_bytes = field.kind == 'S' or issubclass(field.type, np.void)
    if number is not None:
        found.append(f'{off}:{number}{desc}')
    elif is_bytes and field.subdtype is None:
        if field.itemsize > 0:
            found.append(f'{off}:b{field.itemsize}{desc}')
    elif field.kind == 'U':
        order = '' if field.isnative else 'be'
        found.extend(f'{off + i}:u32{order}{desc}' for i in range(0, field.itemsize, 4))
    else:
        where = f" ('{'.'.join(path)}')" if path else ''
        raise type_error(f'{field}{where} cannot be a key; keys are integers, floats of 2 to 8 '
                         f'bytes, bool, bytes, text and times'
                        + ("; a float of 16 bits is 'f2'" if field.kind == 'f' else ''))
