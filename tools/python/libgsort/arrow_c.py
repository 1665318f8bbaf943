"""Arrow's C data and stream interfaces, and the capsules in which Python hands them on.

https://arrow.apache.org/docs/format/CDataInterface.html has the structs and who releases what. What is given away here is kept by a
reference, the struct's private_data, until whoever took it calls its release, which is in arrow_release.c.

nanoarrow is not taken for this: its C (0.9.0) has 9,100 lines in eight files, and would save about 60 of the 250 here and in
arrow_release.c: the release of children, and filling the structs. It owns buffers by a callback in C, so the reference to a Python object,
the GIL and a pending exception in arrow_release.c would stay, and so would these structs, for what is read and called here is in Python.
The package of PyPI is built for each CPython, where one wheel of libgsort is for all. Tables of any columns are pyarrow's.
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
    ('format', c_char_p), ('name', c_char_p), ('metadata', c_void_p), ('flags', c_int64), ('n_children', c_int64),
    ('children', POINTER(POINTER(ArrowSchema))), ('dictionary', c_void_p), ('release', c_void_p), ('private_data', c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ('length', c_int64), ('null_count', c_int64), ('offset', c_int64), ('n_buffers', c_int64), ('n_children', c_int64),
    ('buffers', POINTER(c_void_p)), ('children', POINTER(POINTER(ArrowArray))), ('dictionary', c_void_p),
    ('release', c_void_p), ('private_data', c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [('get_schema', c_void_p), ('get_next', c_void_p), ('get_last_error', c_void_p), ('release', c_void_p),
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
    """What a struct that was given away points to."""

    def __init__(self, *values: object) -> None:
        self.values = values
        ALIVE.add(self)


ALIVE: weakref.WeakSet[Kept] = weakref.WeakSet()


def give(value: object) -> int:
    """A reference to it that the other side drops, by arrow_release.c."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return id(value)


def release(struct: Any) -> None:
    """A struct that somebody else made."""
    if struct.release:
        RELEASE(struct.release)(ctypes.addressof(struct))


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.PyDLL:
    """Beside libgsort.so.0: in a wheel, or where it was built."""
    folder = os.path.dirname(os.environ.get('LIBGSORT_LIBRARY') or __file__)
    try:
        library = ctypes.PyDLL(os.path.join(os.path.abspath(folder), 'libgsort_arrow.so'))
    except OSError as error:
        raise ImportError(f'libgsort: {error}; it is beside libgsort.so.0 in a wheel, and gives back what Arrow was given') from error
    for name, fill in (('libgsort_fill_schema', _FILL_SCHEMA), ('libgsort_fill_next', _FILL_NEXT)):
        c_void_p.in_dll(library, name).value = ctypes.cast(fill, c_void_p).value
    return library


def _address(name: str) -> c_void_p:
    return ctypes.cast(getattr(_library(), f'libgsort_{name}'), c_void_p)


def metadata_of(schema: ArrowSchema) -> bytes:
    """A copy: how many pairs there are, then of each key and value the length and the bytes. b'': there are none."""
    if not schema.metadata:
        return b''
    at, end = int(schema.metadata), int(schema.metadata) + 4
    for _ in range(2 * c_int32.from_address(at).value):
        end += 4 + c_int32.from_address(end).value
    return ctypes.string_at(at, end - at)


def without_labels(metadata: bytes) -> bytes:
    """Of metadata_of, where rows come out in another order: a range of labels of pandas' would be that of other rows."""
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
    """The same of pandas' own part."""
    try:
        said = json.loads(pandas)
        kept = [index for index in said['index_columns'] if not isinstance(index, dict)]
    except (ValueError, TypeError, KeyError):  # none of pandas' making
        return pandas
    return pandas if kept == said['index_columns'] else json.dumps({**said, 'index_columns': kept}).encode()


def fill_schema(schema: ArrowSchema, format: bytes, name: bytes, flags: int, metadata: bytes, children: Sequence[ArrowSchema] = ()) -> None:
    """In `schema`, which is whoever's; `children` are filled already."""
    pointers = (POINTER(ArrowSchema) * len(children))(*map(ctypes.pointer, children))
    texts = ctypes.create_string_buffer(format), ctypes.create_string_buffer(name), ctypes.create_string_buffer(metadata)
    schema.format, schema.name = (ctypes.cast(text, c_char_p) for text in texts[:2])
    schema.metadata = ctypes.addressof(texts[2]) if metadata else None
    schema.dictionary = None
    schema.flags, schema.n_children, schema.children = flags, len(children), pointers
    schema.private_data = give(Kept(pointers, children, texts))
    schema.release = _address('release_schema')  # last: before, nothing is to be released


def fill_array(array: ArrowArray, length: int, buffers: Sequence[Any], children: Sequence[ArrowArray] = (), nulls: int = 0) -> None:
    """`buffers` are NumPy arrays; None: no nulls, else there are so many."""
    pointers = (POINTER(ArrowArray) * len(children))(*map(ctypes.pointer, children))
    addresses = (c_void_p * len(buffers))(*(None if buffer is None else buffer.ctypes.data for buffer in buffers))
    array.length, array.null_count, array.offset = length, nulls, 0
    array.n_buffers, array.buffers = len(buffers), addresses
    array.n_children, array.children, array.dictionary = len(children), pointers, None
    array.private_data = give(Kept(pointers, children, addresses, buffers))
    array.release = _address('release_array')  # last, as above


# Streams that are given away: private_data is a Kept of a source, which has fill_schema(address) and fill_next(address).


def _source(stream: int) -> Any:
    return ctypes.cast(ArrowArrayStream.from_address(stream).private_data, ctypes.py_object).value.values[0]


def _call(stream: int, what: str, address: int, answer: Any) -> None:
    """Ctrl-C may come between any two lines. Before the first it leaves the stream as it is, and else it fails in every further read."""
    source = _source(stream)
    if source.error is not None:  # what came now would not follow what came last
        return
    source.error = _INTERRUPTED
    try:
        getattr(source, what)(address)
    except BaseException as error:  # nothing passes through C
        source.error = ctypes.create_string_buffer(_error_text(error))
        return
    answer[0] = 0  # else arrow_release.c answers EIO
    source.error = None


_INTERRUPTED = ctypes.create_string_buffer(b'KeyboardInterrupt: a batch was lost')


def _error_text(error: BaseException) -> bytes:
    """Whatever the exception's own text does."""
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


_FILL_SCHEMA, _FILL_NEXT, _LAST_ERROR = FILL(_fill_schema), FILL(_fill_next), GET_LAST_ERROR(_get_last_error)


def stream_capsule(source: object) -> object:
    stream = ArrowArrayStream(get_schema=_address('get_schema'), get_next=_address('get_next'), get_last_error=ctypes.cast(_LAST_ERROR, c_void_p),
                              release=_address('release_stream'), private_data=give(Kept(source)))
    capsule: object = _capsule_new(ctypes.addressof(stream), STREAM_NAME, ctypes.cast(_library().libgsort_destroy_capsule, c_void_p))
    ctypes.pythonapi.PyCapsule_SetContext(ctypes.py_object(capsule), c_void_p(give(Kept(stream))))
    return capsule
