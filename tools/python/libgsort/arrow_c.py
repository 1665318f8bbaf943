"""Implements Arrow's C data and stream interfaces, and the capsules in which Python passes them.

https://arrow.apache.org/docs/format/CDataInterface.html describes the structs and who releases
them. An exported struct keeps its Python objects alive by a reference in private_data. The importer
drops it by calling `release`, which is in arrow_release.c.

We rejected nanoarrow. Its C (0.9.0) has 9,100 lines in eight files, and would save about 60 of the
250 lines here and in arrow_release.c. These lines release children and fill the structs. nanoarrow
owns buffers by a callback in C. So the reference to a Python object, the GIL and a pending
exception would stay in arrow_release.c. These structs would stay as well, because Python reads and
calls them. Its package on PyPI is built for each CPython, but one wheel of libgsort works with all.
Tables with columns of any type use pyarrow.
"""
from __future__ import annotations

import ctypes
import functools
import json
import os
import weakref
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
GET = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
FILL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, POINTER(c_int))
GET_LAST_ERROR = ctypes.CFUNCTYPE(c_void_p, c_void_p)


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ('format', c_char_p), ('name', c_char_p), ('metadata', c_void_p), ('flags', c_int64),
    ('n_children', c_int64),
    ('children', POINTER(POINTER(ArrowSchema))), ('dictionary', c_void_p), ('release', c_void_p),
    ('private_data', c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ('length', c_int64), ('null_count', c_int64), ('offset', c_int64), ('n_buffers', c_int64),
    ('n_children', c_int64),
    ('buffers', POINTER(c_void_p)), ('children', POINTER(POINTER(ArrowArray))),
    ('dictionary', c_void_p),
    ('release', c_void_p), ('private_data', c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [('get_schema', c_void_p), ('get_next', c_void_p), ('get_last_error', c_void_p),
                ('release', c_void_p),
                ('private_data', c_void_p)]


_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
STREAM_NAME = ctypes.create_string_buffer(b'arrow_array_stream')


def capsule_address(capsule: object, name: bytes) -> int:
    address: int = _capsule_pointer(capsule, name)
    return address


class Kept:
    """Keeps the objects alive that an exported struct points to."""

    def __init__(self, *values: object) -> None:
        self.values = values
        ALIVE.add(self)


ALIVE: weakref.WeakSet[Kept] = weakref.WeakSet()


def give(value: object) -> int:
    """Returns a new reference to `value` as a pointer. The importer drops it through
    arrow_release.c."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return id(value)


def release(struct: Any) -> None:
    """Releases a struct that another library exported."""
    if struct.release:
        RELEASE(struct.release)(ctypes.addressof(struct))


def library_path() -> str:
    """Returns the path of libgsort_arrow.so. It is in the folder of libgsort.so.0: in a wheel or a
    build folder."""
    folder = os.path.dirname(os.environ.get('LIBGSORT_LIBRARY') or __file__)
    return os.path.join(os.path.abspath(folder), 'libgsort_arrow.so')


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.PyDLL:
    try:
        library = ctypes.PyDLL(library_path())
    except OSError as error:
        raise ImportError(f'libgsort: {error}; this file must be in the folder of libgsort.so.0, '
                          f'as in the wheel') from error
    for name, fill in (('libgsort_fill_schema', _FILL_SCHEMA), ('libgsort_fill_next', _FILL_NEXT)):
        c_void_p.in_dll(library, name).value = ctypes.cast(fill, c_void_p).value
    return library


def _address(name: str) -> c_void_p:
    return ctypes.cast(getattr(_library(), f'libgsort_{name}'), c_void_p)


def metadata_of(schema: ArrowSchema) -> bytes:
    """Returns a copy of the metadata: the number of pairs, then length and bytes of each key and
    value. b'': there are none."""
    if not schema.metadata:
        return b''
    at, end = int(schema.metadata), int(schema.metadata) + 4
    for _ in range(2 * c_int32.from_address(at).value):
        end += 4 + c_int32.from_address(end).value
    return ctypes.string_at(at, end - at)


def without_labels(metadata: bytes) -> bytes:
    """Returns metadata of metadata_of for rows in another order: without the range of pandas' row
    labels, which would label other rows."""
    at, end, parts = 4, len(metadata), []
    while at < end:
        length = 4 + c_int32.from_buffer_copy(metadata, at).value
        parts.append(metadata[at + 4:at + length])
        at += length
    for i in range(0, len(parts), 2):
        if parts[i] == b'pandas':
            parts[i + 1] = without_range(parts[i + 1])
    return metadata[:4] + b''.join(bytes(c_int32(len(part))) + part for part in parts)


def without_range(pandas: bytes) -> bytes:
    """Does the same with the value of the key 'pandas'."""
    try:
        said = json.loads(pandas)
        kept = [index for index in said['index_columns'] if not isinstance(index, dict)]
    except (ValueError, TypeError, KeyError):  # not written by pandas
        return pandas
    return (pandas if kept == said['index_columns']
            else json.dumps({**said, 'index_columns': kept}).encode())


def fill_schema(schema: ArrowSchema, format: bytes, name: bytes, flags: int, metadata: bytes,
                children: Sequence[ArrowSchema] = ()) -> None:
    """Fills `schema`, which belongs to the caller. `children` must be filled before."""
    pointers = (POINTER(ArrowSchema) * len(children))(*map(ctypes.pointer, children))
    texts = (ctypes.create_string_buffer(format), ctypes.create_string_buffer(name),
             ctypes.create_string_buffer(metadata))
    schema.format, schema.name = (ctypes.cast(text, c_char_p) for text in texts[:2])
    schema.metadata = ctypes.addressof(texts[2]) if metadata else None
    schema.dictionary = None
    schema.flags, schema.n_children, schema.children = flags, len(children), pointers
    schema.private_data = give(Kept(pointers, children, texts))
    schema.release = _address('release_schema')  # last: until now there is nothing to release


def fill_array(array: ArrowArray, length: int, buffers: Sequence[Any],
               children: Sequence[ArrowArray] = (), nulls: int = 0) -> None:
    """Fills `array`. `buffers` are NumPy arrays; None as the first one: there are no nulls. nulls:
    how many there are."""
    pointers = (POINTER(ArrowArray) * len(children))(*map(ctypes.pointer, children))
    addresses = (c_void_p * len(buffers))(*(None if buffer is None else buffer.ctypes.data
                                            for buffer in buffers))
    array.length, array.null_count, array.offset = length, nulls, 0
    array.n_buffers, array.buffers = len(buffers), addresses
    array.n_children, array.children, array.dictionary = len(children), pointers, None
    array.private_data = give(Kept(pointers, children, addresses, buffers))
    array.release = _address('release_array')  # last, as above


# Exported streams: private_data is a Kept of a source, which has fill_schema(address) and
# fill_next(address).


def _source(stream: int) -> Any:
    return ctypes.cast(ArrowArrayStream.from_address(stream).private_data,
                       ctypes.py_object).value.values[0]


def _call(stream: int, what: str, address: int, answer: Any) -> None:
    """Calls source.what(address). Ctrl-C may interrupt it between any two lines: before the first,
    the stream does not change; after it, every later read fails."""
    source = _source(stream)
    if source.error is not None:  # the next batch would not follow the last one
        return
    source.error = _INTERRUPTED
    try:
        getattr(source, what)(address)
    except BaseException as error:  # exceptions do not pass through C
        source.error = ctypes.create_string_buffer(_error_text(error))
        return
    answer[0] = 0  # else arrow_release.c answers EIO
    source.error = None


_INTERRUPTED = ctypes.create_string_buffer(b'KeyboardInterrupt: a batch was lost')


def _error_text(error: BaseException) -> bytes:
    """Returns the text of an exception, even if str() of it fails."""
    try:
        return f'{type(error).__name__}: {error}'.encode(errors='backslashreplace')
    except BaseException:
        return b'the stream failed, and so did the text that says why'


def _fill_schema(stream: int, schema: int, answer: Any) -> None:
    _call(stream, 'fill_schema', schema, answer)


def _fill_next(stream: int, array: int, answer: Any) -> None:
    _call(stream, 'fill_next', array, answer)


def _get_last_error(stream: int) -> int:
    error = _source(stream).error
    return 0 if error is None else ctypes.addressof(error)


_FILL_SCHEMA, _FILL_NEXT, _LAST_ERROR = (FILL(_fill_schema), FILL(_fill_next),
                                         GET_LAST_ERROR(_get_last_error))


def stream_capsule(source: object) -> object:
    stream = ArrowArrayStream(get_schema=_address('get_schema'), get_next=_address('get_next'),
                              get_last_error=ctypes.cast(_LAST_ERROR, c_void_p),
                              release=_address('release_stream'), private_data=give(Kept(source)))
    capsule: object = _capsule_new(ctypes.addressof(stream), STREAM_NAME,
                                   ctypes.cast(_library().libgsort_destroy_capsule, c_void_p))
    ctypes.pythonapi.PyCapsule_SetContext(ctypes.py_object(capsule), c_void_p(give(Kept(stream))))
    return capsule
