"""Converts the rows of a table to records of one width, which a Sorter sorts, and sorted records
back to rows.

    record  [ key 0 ][ key 1 ] ..     is a value null: u8, then the value with zeros for a null
            [ column ][ column ] ..   columns that are no keys; texts end with zeros and a length
            [ nulls: one bit per column ]
            [ run: u32 ][ bytes: u32 ]   of the part of the row that is not in the record, or 0

The rest of a row is stored elsewhere (store.py): lists, structs, long texts and views. `run` is the
number of the run with this part, plus 1. The record has only the first bytes of a long text. Texts
with equal first bytes are compared later (sort.py).
"""
from __future__ import annotations

import ctypes
import functools
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .convert import storage, storage_type
from .order import is_text, is_text_key, nulls_of, numbers, numbers_of, texts_as_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

    import numpy.typing as npt

    from .order import Order

    Records = np.ndarray[Any, Any]

KEY_MOST = 256  # bytes of a text in a key
INLINE_MOST = 48  # bytes of a text in a record that are always usual; so are twice the mean length
RECORD_MOST = 1024  # bytes of a record, besides its keys
KEYS_MOST = 64  # keys of a record that the library accepts
OFFSET_BYTES = 8  # of the offset of a text or list, at most


class Texts(ctypes.Structure):
    """struct texts of texts.c"""

    _fields_ = [('bytes', ctypes.c_void_p), ('offsets', ctypes.c_void_p),
                ('is_large', ctypes.c_bool)]


@functools.lru_cache(maxsize=None)
def _c_calls() -> ctypes.CDLL:
    """Loads texts.c once more, so that its calls release the GIL."""
    from ..arrow_c import library_path
    library = ctypes.CDLL(library_path())
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    library.libgsort_pack_texts.argtypes = [pointer, word, word, ctypes.c_uint32, pointer, word]
    library.libgsort_text_offsets.argtypes = [pointer, word, word, ctypes.c_uint32, word, pointer,
                                              pointer]
    library.libgsort_text_offsets.restype = word
    library.libgsort_unpack_texts.argtypes = [pointer, word, word, ctypes.c_uint32, word, pointer,
                                              pointer, pointer, pointer]
    for call in (library.libgsort_pack_texts, library.libgsort_unpack_texts):
        call.restype = None
    return library


def _texts(array: pa.Array) -> Texts:
    """Returns the texts of an array, which must stay alive, for C."""
    _, offsets, data = array.buffers()
    is_large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    return Texts(data.address if data is not None else None,
                 offsets.address + array.offset * (8 if is_large else 4), is_large)


def _fixed_dtype(kind: pa.DataType) -> Optional[np.dtype[Any]]:
    """Returns the dtype of the bytes of a value, or None if they are not of one width."""
    if pa.types.is_dictionary(kind) or pa.types.is_null(kind) or kind.num_fields > 0:
        return None
    try:
        width = 1 if pa.types.is_boolean(kind) else kind.bit_width // 8
    except ValueError:
        return None
    return (None if width == 0
            else np.dtype({1: 'u1', 2: '<u2', 4: '<u4', 8: '<u8'}.get(width, f'V{width}')))


def _widths_of(texts: Any, skip: int) -> Tuple[int, int]:
    """Returns how many bytes in the record the longest text needs, with some for later ones, and
    how many are usual."""
    lengths = pc.binary_length(texts)
    longest = max((pc.max(lengths).as_py() or 0) - skip, 0)
    return max(longest + longest // 8, 4), max(INLINE_MOST, 2 * int(pc.mean(lengths).as_py() or 0))


def sizes_of(array: pa.Array) -> npt.NDArray[np.int64]:
    """Returns the bytes of each row of an array."""
    kind, rows = array.type, len(array)
    if isinstance(kind, pa.BaseExtensionType):
        return sizes_of(array.storage)
    types = pa.types
    if types.is_null(kind) or rows == 0:
        return np.zeros(rows, np.int64)
    if types.is_struct(kind):
        sizes = np.ones(rows, np.int64)
        for i in range(kind.num_fields):
            sizes += sizes_of(array.field(i))
        return sizes
    if types.is_fixed_size_list(kind):
        inner = sizes_of(array.values.slice(array.offset * kind.list_size, rows * kind.list_size))
        return np.asarray(inner.reshape(rows, -1).sum(1) + 1, np.int64)
    if is_text(kind):
        return np.asarray(pc.binary_length(array).fill_null(0), np.int64) + OFFSET_BYTES
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        offsets = np.asarray(array.offsets, np.int64)
        inner = sizes_of(array.values.slice(offsets[0], offsets[-1] - offsets[0]))
        ends = np.concatenate([[0], np.cumsum(inner)])
        return np.asarray(np.diff(ends[offsets - offsets[0]]) + OFFSET_BYTES, np.int64)
    return np.full(rows, array.nbytes // rows + 1, np.int64)


class Rows:
    """The layout of the records of a table, which its first rows decide."""

    def __init__(self, order: Order, first: pa.RecordBatch) -> None:
        """first: a batch with the first rows, converted"""
        self.order, self.schema = order, first.schema
        self.fields: Dict[str, Any] = {}
        self.keys: List[str] = []  # fields, '-' for descending
        # of each key: [], or is null, then the parts of the value
        self.key_fields: List[List[str]] = []
        self.where: Dict[int, str] = {}  # column -> its field
        # field of a text -> its bytes; its length is the next field
        self.widths: Dict[str, int] = {}
        # field of a text of a key -> how many bytes of the text it leaves out
        self.skips: Dict[str, int] = {}
        # the same -> these bytes, which are equal in all rows, if the field is also the column's
        self.starts: Dict[str, bytes] = {}
        # key -> values of its dictionary, and these as records
        self.looked: Dict[int, Tuple[Any, Any]] = {}
        self.stored: List[int] = []
        for i in range(len(order.keys)):
            self._add_key(i, first)
        rest = RECORD_MOST
        for column, field in enumerate(first.schema):
            if column not in self.where:
                kind = storage_type(field.type)
                rest -= self._add_column(column, kind, first.column(column), rest)
        self.texts = [column for column, field in self.where.items() if field in self.widths]
        self.fields.update((f'n{i}', np.dtype('u1'))
                           for i in {column // 8 for column in self.where})
        self._join_keys()
        self.has_rest = bool(self.stored or self.texts)
        if self.has_rest:
            self.fields.update(run=np.dtype('<u4'), bytes=np.dtype('<u4'))
        self.dtype = np.dtype(list(self.fields.items()))
        kinds = {column: field.type if column in self.stored else storage_type(field.type)
                 for column, field in enumerate(first.schema)}
        self.rest_schema = pa.schema([pa.field(str(column), kinds[column])
                                      for column in self.stored + self.texts])

    def _add_key(self, i: int, first: pa.RecordBatch) -> None:
        key, column = self.order.keys[i], first.column(self.order.keys[i].column)
        array, places = self.order.converters.columns[key.column].lookup(column)
        names: List[str] = []
        self.key_fields.append(names)
        if pa.types.is_null(array.type):
            return
        names.append(f'k{i}null')
        self.fields[names[0]] = np.dtype('u1')
        is_shared = places is None
        if is_text_key(array.type):
            width, usual = _widths_of(texts_as_binary(array), key.skip)
            most = min(KEY_MOST, usual) if key.skip == 0 else 1 << 14
            self._add_text(f'k{i}', min(width, most, (1 << 15) // len(self.order.keys) + 4))
            self.skips[f'k{i}'] = key.skip
            names += [f'k{i}', f'k{i}length']
            is_shared &= not pa.types.is_fixed_size_binary(array.type)
            if is_shared and key.skip > 0:
                self.starts[f'k{i}'] = bytes(array[0].as_buffer())[:key.skip]
        else:
            for j, values in enumerate(numbers_of(array)):
                names.append(f'k{i}' if j == 0 else f'k{i}_{j}')
                self.fields[names[-1]] = values.dtype
            kind = _fixed_dtype(storage_type(first.schema.field(key.column).type))
            is_shared &= (len(names) == 2 and kind is not None
                          and kind.itemsize == self.fields[names[1]].itemsize)
        self.keys += [names[0], *('-' * key.is_descending + name for name in names[1:])]
        if is_shared:
            self.where.setdefault(key.column, names[1])

    def _add_text(self, name: str, width: int) -> int:
        self.fields[name] = np.dtype(f'V{width}')
        self.fields[f'{name}length'] = np.dtype('u1' if width < 255 else '<u2')
        self.widths[name] = width
        return width + 1

    def _add_column(self, column: int, kind: pa.DataType, array: pa.Array, rest: int) -> int:
        """Adds a column that is no key. Returns how many bytes of the record it needs."""
        dtype = _fixed_dtype(kind)
        if dtype is not None and dtype.itemsize <= rest:
            self.fields[f'c{column}'], self.where[column] = dtype, f'c{column}'
            return dtype.itemsize
        if is_text(kind):
            width, usual = _widths_of(storage(array), 0)
            if width <= min(usual, rest - 3):
                self.where[column] = f'c{column}'
                return self._add_text(f'c{column}', width)
        if not pa.types.is_null(kind):
            self.stored.append(column)
        return 0

    def _join_keys(self) -> None:
        """Adds a field with all keys from the 64th on, as bytes that have their order, if there are
        more than the library accepts."""
        self.joined: List[str] = []
        if not self.keys:
            self.fields['none'], self.keys = np.dtype('u1'), ['none']
        if len(self.keys) > KEYS_MOST:
            self.joined, self.keys = (self.keys[KEYS_MOST - 1:],
                                      [*self.keys[:KEYS_MOST - 1], 'joined'])
            self.fields['joined'] = np.dtype(
                f"V{sum(self.fields[name.lstrip('-')].itemsize for name in self.joined)}")

    # Rows to records

    def pack(self, batch: pa.RecordBatch, run: int) -> Tuple[Records, Optional[pa.RecordBatch]]:
        """Returns the records of a batch, and the parts of its rows that are stored: a batch of
        them, or None."""
        records = np.zeros(batch.num_rows, self.dtype)
        for i in range(len(self.order.keys)):
            self._pack_key(records, i, batch)
        shared = set(itertools.chain(*self.key_fields))
        for column, name in self.where.items():
            array = storage(batch.column(column))
            is_null = nulls_of(array)
            if is_null is not None:
                records[f'n{column // 8}'] |= is_null << column % 8
            if name in shared:
                continue
            if name in self.widths:
                self._put_texts(records, name, array, is_null)
            else:
                records[name] = numbers(array.cast(pa.uint8()) if pa.types.is_boolean(array.type)
                                        else array, self.fields[name])
        if self.joined:
            parts = [_ordered_bytes(records[name.lstrip('-')], name[0] == '-')
                     for name in self.joined]
            records['joined'] = np.concatenate(parts,
                                               axis=1).view(self.fields['joined']).reshape(-1)
        return records, self._rest_of(records, batch, run) if self.has_rest else None

    def _pack_key(self, records: Records, i: int, batch: pa.RecordBatch) -> None:
        key, names = self.order.keys[i], self.key_fields[i]
        column = batch.column(key.column)
        array, places = self.order.converters.columns[key.column].lookup(column)
        self.order.note_split(key.column, array)
        if not names:
            return
        is_null = nulls_of(column)
        if self.order.nulls_first:
            records[names[0]] = 1 if is_null is None else 1 - is_null
        elif is_null is not None:
            records[names[0]] = is_null
        if places is None:
            self._put_key(records, i, array, is_null)
            return
        known, values = self.looked.get(i, (None, None))
        if known is not array:
            values = np.zeros(len(array), [(name, self.fields[name]) for name in names])
            self._put_key(values, i, array, None)
            self.looked[i] = array, values
        if len(values) > 0:
            rows = numbers(places.fill_null(0), '<i4')
            for name in names[1:]:
                records[name] = values[name][rows]
                if is_null is not None:
                    records[name][is_null != 0] = np.zeros((), self.fields[name])

    def _put_key(self, records: Records, i: int, array: pa.Array, is_null: Any) -> None:
        names = self.key_fields[i][1:]
        if names[0] in self.widths:
            self._put_texts(records, names[0], texts_as_binary(array), is_null)
            return
        for name, values in zip(names, numbers_of(array)):
            records[name] = values
            if is_null is not None:
                records[name][is_null != 0] = np.zeros((), self.fields[name])

    def _put_texts(self, records: Records, name: str, array: pa.Array, is_null: Any) -> None:
        if len(array) > 0:
            _c_calls().libgsort_pack_texts(ctypes.byref(_texts(array)), len(array),
                                           self.skips.get(name, 0), self.widths[name],
                                           records[name].ctypes.data, records.itemsize)
        if is_null is not None:
            for part in (name, f'{name}length'):
                records[part][is_null != 0] = np.zeros((), self.fields[part])

    def is_cut(self, records: Records, name: str) -> npt.NDArray[np.bool_]:
        """Returns of which texts the field has only the first bytes."""
        return records[f'{name}length'] > self.widths[name]

    def _rest_of(self, records: Records, batch: pa.RecordBatch,
                 run: int) -> Optional[pa.RecordBatch]:
        cuts = [self.is_cut(records, self.where[column]) for column in self.texts]
        is_stored = np.ones(len(records), bool) if self.stored else np.logical_or.reduce(cuts)
        if not is_stored.any():
            return None
        arrays = [batch.column(column) for column in self.stored]
        for column, cut in zip(self.texts, cuts):
            array = storage(batch.column(column))
            arrays.append(pc.if_else(pa.array(cut), array, pa.scalar(None, array.type)))
        rest = pa.RecordBatch.from_arrays(arrays, schema=self.rest_schema)
        if not is_stored.all():
            rest = rest.filter(pa.array(is_stored))
        records['run'][is_stored] = run + 1
        records['bytes'][is_stored] = np.minimum(sum(map(sizes_of, rest.columns)), (1 << 32) - 1)
        return rest

    # Records to rows

    def unpack(self, records: Records, rest: Optional[pa.RecordBatch]) -> pa.RecordBatch:
        """Converts records back to rows, and returns them as one batch. rest: the stored parts of
        these rows, or None"""
        arrays = []
        for column, field in enumerate(self.schema):
            if column in self.where:
                array = self._column(records, column, storage_type(field.type), rest)
                arrays.append(pa.ExtensionArray.from_storage(field.type, array)
                              if isinstance(field.type, pa.BaseExtensionType) else array)
            elif column in self.stored:
                assert rest is not None
                arrays.append(rest.column(self.stored.index(column)))
            else:
                arrays.append(pa.nulls(len(records), field.type))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _column(self, records: Records, column: int, kind: pa.DataType,
                rest: Optional[pa.RecordBatch]) -> pa.Array:
        name, nulls = self.where[column], records[f'n{column // 8}'] >> column % 8 & 1
        valid = pa.py_buffer(np.packbits(nulls == 0, bitorder='little')) if nulls.any() else None
        if name in self.widths:
            return pa.Array.from_buffers(kind, len(records),
                                         [valid, *self._texts_at(records, column, kind, rest)])
        values = (np.packbits(records[name], bitorder='little') if pa.types.is_boolean(kind)
                  else np.ascontiguousarray(records[name]))
        return pa.Array.from_buffers(kind, len(records), [valid, pa.py_buffer(values.view('u1'))])

    def _texts_at(self, records: Records, column: int, kind: pa.DataType,
                  rest: Optional[pa.RecordBatch]) -> Tuple[pa.Buffer, pa.Buffer]:
        """Returns the offsets and the bytes of the texts of a column."""
        name, longer, long = self.where[column], Texts(), None
        cut = self.is_cut(records, name)
        if cut.any():
            assert rest is not None
            long = rest.column(len(self.stored)
                               + self.texts.index(column)).filter(pa.array(cut[records['run'] > 0]))
            longer = _texts(long)
        offsets = np.empty(len(records) + 1, np.int32)
        start = self.starts.get(name, b'')
        place = (records[name].ctypes.data, records.itemsize, len(records), self.widths[name],
                 len(start))
        texts = ctypes.byref(longer), offsets.ctypes.data
        data = np.empty(_c_calls().libgsort_text_offsets(*place, *texts), np.uint8)
        _c_calls().libgsort_unpack_texts(*place, start, *texts, data.ctypes.data)
        is_large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
        return pa.py_buffer(offsets.astype(np.int64) if is_large else offsets), pa.py_buffer(data)

    def ties(self, records: Records) -> Optional[npt.NDArray[np.bool_]]:
        """Returns which records cannot be told from the next one, because a text of both is longer
        than its field. None: no record."""
        cut_fields = [name for name in self.skips if self.is_cut(records, name).any()]
        if not cut_fields or len(records) < 2:
            return None
        is_same, is_tied = np.ones(len(records) - 1, bool), np.zeros(len(records) - 1, bool)
        for name in itertools.chain(*self.key_fields):
            values = records[name]
            if values.dtype.kind == 'V':
                values = np.ascontiguousarray(values).view(f'S{values.dtype.itemsize}')
            elif values.dtype.kind == 'f':
                values = values.view(f'u{values.dtype.itemsize}')
            is_same &= values[1:] == values[:-1]
            if name.removesuffix('length') in cut_fields and name not in cut_fields:
                is_tied |= is_same & self.is_cut(records, name.removesuffix('length'))[1:]
        return is_tied

    def tied_key(self, record: Records) -> int:
        """Returns the number of the key with the text that ties a record to the next one: the first
        text that is cut."""
        return next(i for i, names in enumerate(self.key_fields) if len(names) > 1
                    and names[1] in self.skips and self.is_cut(record, names[1])[0])


def _ordered_bytes(values: Any, is_descending: bool) -> Any:
    """Returns the bytes of values, (rows, width), whose order is that of the values in the
    library."""
    kind, width = values.dtype.kind, values.dtype.itemsize
    values = np.ascontiguousarray(values)
    if kind != 'V':
        bits = values.view(f'u{width}')
        sign = bits.dtype.type(1 << 8 * width - 1)
        # negative NaNs, whose bits are the first ones now, have to be the last ones
        if kind == 'f':
            first = {2: 0x3ff, 4: 0x7fffff, 8: 0xfffffffffffff}[width]
            bits = np.where(bits & sign, ~bits, bits | sign) - bits.dtype.type(first)
        elif kind == 'i':
            bits = bits ^ sign
        values = bits.astype(bits.dtype.newbyteorder('>'))
    found = values.view('u1').reshape(-1, width)
    return ~found if is_descending else found
