"""Converts Arrow tables to records, and sorted records to Arrow tables: columns of a fixed width,
without nulls.

Several columns are interleaved to records in the sorter's memory. A single column of numbers is
sorted as numbers. No Arrow library is needed: both sides use Arrow's C interfaces (arrow_c.py).
"""
from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping

import numpy as np

from . import arrow_c as c
from .errors import ColumnError, NullsError, type_error
from .layout import key_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Optional, Sequence, Tuple

    import numpy.typing as npt
    import pyarrow as pa

    from .keywords import Keys
    from .sorter import Sorter

    Array = npt.NDArray[Any]

# Format of Arrow -> dtype.
FORMATS = {b'c': 'i1', b'C': 'u1', b's': '<i2', b'S': '<u2', b'i': '<i4', b'I': '<u4', b'l': '<i8',
           b'L': '<u8', b'e': '<f2',
           b'f': '<f4', b'g': '<f8', b'b': '?', b'tdD': '<i4', b'tdm': '<i8', b'tts': '<i4',
           b'ttm': '<i4', b'ttu': '<i8',
           b'ttn': '<i8'}
DICTIONARY_ORDERED, NULLABLE = 1, 2  # ARROW_FLAG_..
UNNAMED = 'f0'  # the field of a column without a name, because NumPy's fields have names


class Column:
    """Describes a column. `is_decimal`: integers of 128 bits. `metadata` includes the name of an
    extension type."""

    def __init__(self, format: bytes, name: str, flags: int, metadata: bytes = b'') -> None:
        self.format, self.name, self.flags, self.metadata = format, name, flags, metadata
        self.is_decimal = False
        if format in FORMATS:
            self.dtype = np.dtype(FORMATS[format])
        elif format.startswith((b'ts', b'tD')):
            self.dtype = np.dtype('<i8')
        elif format.startswith(b'w:'):
            self.dtype = np.dtype(f'V{int(format[2:])}')
        elif format.startswith(b'd:') and format.count(b',') == 1 or format.endswith(b',128'):
            self.dtype, self.is_decimal = np.dtype('V16'), True
        else:
            raise ColumnError(f"column '{name}' has Arrow's format '{format.decode()}', which has "
                              f"no fixed width here; use sort_table()")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and (self.format, self.name) == (other.format, other.name)


class Columns:
    """Describes the columns of a table (`is_table`), or the column of an array. The metadata are
    those of the first table pushed."""

    dtype: np.dtype[Any]
    metadata: bytes = b''  # of the table

    def __init__(self, schema: Any) -> None:
        self.is_table = schema.format == b'+s'
        if self.is_table:
            self.metadata = c.without_labels(c.metadata_of(schema))
        parts = [schema.children[i].contents
                 for i in range(schema.n_children)] if self.is_table else [schema]
        self.columns: List[Column] = []
        for part in parts:
            name = ((part.name or b'').decode(errors='surrogateescape')
                    or ('' if self.is_table else 'value'))
            if part.dictionary:
                raise ColumnError(f"column '{name}' is dictionary-encoded, and its codes have no "
                                  f"order; decode it, or use sort_table()")
            if part.format == b'w:0':
                raise ColumnError(f"column '{name}' is binary of width 0, which has no bytes to "
                                  f"sort; use sort_table()")
            self.columns.append(Column(part.format, name, part.flags, c.metadata_of(part)))
        self._set_dtype()

    def _set_dtype(self) -> None:
        if len(self.columns) == 1:
            self.dtype = self.columns[0].dtype
        else:
            names = [column.name or UNNAMED for column in self.columns]
            if len(set(names)) < len(names):
                raise ColumnError(f"'{max(names, key=names.count)}' is the name of several columns "
                                  f"(one without a name is '{UNNAMED}'); "
                                  'use sort_table()')
            self.dtype = np.dtype(list(zip(names, (column.dtype for column in self.columns))))

    @classmethod
    def of_dtype(cls, dtype: np.dtype[Any]) -> Columns:
        """Returns the columns for elements that were pushed as NumPy arrays."""
        formats = {kind: format for format, kind in reversed(FORMATS.items())}

        def column(name: str, kind: np.dtype[Any]) -> Column:
            text = kind.str if kind.itemsize > 1 or kind.kind == 'b' else kind.str[1:]
            text = '?' if kind.kind == 'b' else text
            if kind.kind in 'mM' and kind.isnative:
                unit, step = np.datetime_data(kind)
                if step == 1 and unit in ('s', 'ms', 'us', 'ns'):
                    letter = unit[0].encode()
                    # NaT is null
                    return Column(b'ts' + letter + b':' if kind.kind == 'M' else b'tD' + letter,
                                  name, NULLABLE)
            if kind.kind in 'SV' and kind.names is None and kind.subdtype is None:
                return Column(b'w:%d' % kind.itemsize, name, 0)
            if text not in formats:
                raise TypeError(f"'{name}' has dtype {kind}, for which Arrow has no type")
            return Column(formats[text], name, 0)
        made = cls.__new__(cls)
        made.is_table = True
        names = dtype.names or ()
        fields: Any = dtype.fields
        made.columns = [column(name, fields[name][0]) for name in names] or [column('value', dtype)]
        made.dtype = dtype
        return made

    def with_count(self) -> Columns:
        made = Columns.__new__(Columns)
        made.is_table, made.metadata, made.columns = (True, self.metadata,
                                                      [*self.columns, Column(b'L', 'count', 0)])
        made._set_dtype()
        return made

    def takes(self, schema: Any) -> bool:
        other = Columns(schema)
        return other.is_table == self.is_table and other.columns == self.columns

    def keys_of(self, keys: Keys) -> Tuple[Keys, bool]:
        """Returns the keys in the form that layout_of accepts, and whether '-' of a single column
        reverses the order."""
        wanted = key_list(keys) or [column.name for column in self.columns]
        by_name = {column.name: column for column in self.columns}
        found: List[str] = []
        for text in wanted:
            name = text if text in by_name or text[:1] != '-' else text[1:]
            if name not in by_name:
                raise ValueError(f"'{name}' is not a column of the table; it has "
                                 f"{', '.join(by_name)}")
            if b'arrow.opaque' in by_name[name].metadata:
                raise type_error(f"'{name}' cannot be a key: its type is opaque, and its bytes may "
                                 f"have another order; cast it to an Arrow type")
            desc = ':desc' if name != text else ''
            if by_name[name].is_decimal:
                off = 0 if self.dtype.fields is None else self.dtype.fields[name or UNNAMED][1]
                halves = [f'{off + 8}:i64{desc}', f'{off}:u64{desc}']
                for half in halves:
                    if half in by_name:
                        raise ColumnError(f"column '{half}' has the name that is needed for a part "
                                          f"of the decimals '{name}'; use sort_table()")
                found += halves
            elif self.dtype.names is None:
                return None, desc != ''
            else:
                found.append('-' * (name != text) + (name or UNNAMED))
        return found, False

    def arrays_of(self, array: c.ArrowArray) -> List[Array]:
        """Returns the columns of a batch as NumPy arrays in Arrow's memory; bits are unpacked."""
        if not self.is_table:
            return [_values(self.columns[0], array, array.offset, array.length)]
        _refuse_nulls('the table', array, array.offset, array.length)
        children = [array.children[i].contents for i in range(array.n_children)]
        return [_values(column, child, array.offset + child.offset, array.length)
                for column, child in zip(self.columns, children)]

    def interleave(self, room: Array, arrays: Sequence[Array], begin: int, end: int) -> None:
        if self.dtype.names is None:
            room[:] = arrays[0][begin:end]
        else:
            for name, values in zip(self.dtype.names, arrays):
                room[name] = values[begin:end]


class Batches:
    """Reads an object with __arrow_c_stream__ or __arrow_c_array__: its schema, and its batches one
    by one.

    The schema is valid inside the `with` block, and a batch until the next one is read.
    """

    def __init__(self, data: Any) -> None:
        self.schema, self.batch = c.ArrowSchema(), c.ArrowArray()
        self.stream: Optional[c.ArrowArrayStream] = None
        # of pyarrow, once it was imported there; and whether it is the schema of a table
        self.of_pyarrow: Optional[Tuple[pa.Schema, bool]] = None
        # a reader of pyarrow; its batches may have other schemas, which an Arrow stream would not
        # show
        self.reader: Any = None
        self.capsules: Any = None
        pyarrow = sys.modules.get('pyarrow')
        _refuse_objects(data)
        if pyarrow is not None and isinstance(data, pyarrow.RecordBatchReader):
            self.reader = data
        elif hasattr(data, '__arrow_c_stream__'):
            self.capsules = data.__arrow_c_stream__()  # the capsule releases the stream
            self.stream = c.ArrowArrayStream.from_address(
                c.capsule_address(self.capsules, b'arrow_array_stream'))
        else:
            self.capsules = data.__arrow_c_array__()
            schema, array = self.capsules
            self.schema = c.ArrowSchema.from_address(c.capsule_address(schema, b'arrow_schema'))
            self.batch = c.ArrowArray.from_address(c.capsule_address(array, b'arrow_array'))

    def __enter__(self) -> Batches:
        if self.stream is not None:
            _get(self.stream, self.stream.get_schema, self.schema)
        elif self.reader is not None:
            self.reader.schema._export_to_c(ctypes.addressof(self.schema))
        try:
            _check_schema(self.schema)
        except BaseException:
            c.release(self.schema)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        c.release(self.batch)
        c.release(self.schema)
        del self.capsules

    def __iter__(self) -> Iterator[c.ArrowArray]:
        if self.reader is not None:
            for batch in self.reader:
                if batch.schema != self.reader.schema:
                    raise type_error('a batch has other columns than its reader')
                c.release(self.batch)
                batch._export_to_c(ctypes.addressof(self.batch))
                yield self.batch
            return
        if self.stream is None:
            yield self.batch
            return
        while True:
            c.release(self.batch)
            _get(self.stream, self.stream.get_next, self.batch)
            if not self.batch.release:
                return
            yield self.batch


def _refuse_objects(data: Any) -> None:
    """Refuses columns of Python objects. Polars exports their addresses as bytes, which its Arrow
    schema does not show."""
    schema = getattr(data, 'schema', None)
    types = (schema if isinstance(schema, Mapping)
             else {getattr(data, 'name', ''): getattr(data, 'dtype', None)})
    for name, kind in types.items():
        if str(kind) == 'Object':
            raise type_error(f"column '{name}' has Python objects, which have no order, and no "
                             f"type in Arrow; leave it out or cast it")


def _check_schema(schema: Any) -> None:
    """Refuses types that Arrow does not have. Marks enums of DuckDB as ordered, because its stream
    does not."""
    parts = [schema.children[i].contents
             for i in range(schema.n_children)] if schema.format == b'+s' else [schema]
    for part in parts:
        _check_column(part, (part.name or b'').decode(errors='replace'),
                      schema.name == b'duckdb_query_result')


def _check_column(part: Any, name: str, is_of_duckdb: bool) -> None:
    if not part.format:
        raise type_error(f"column '{name}' was exported without a type; leave it out or cast it")
    if part.format.startswith(b'_pl'):
        kind = part.format[3:].decode().replace('u', 'UInt').replace('i', 'Int')
        raise type_error(f"column '{name}' is {kind} of Polars, a type that Arrow does not have; "
                         f"cast it to Decimal(38, 0) or Int64")
    if part.dictionary and is_of_duckdb:
        part.flags |= DICTIONARY_ORDERED
    for i in range(part.n_children):
        _check_column(part.children[i].contents, name, is_of_duckdb)


def _get(stream: c.ArrowArrayStream, function: int, into: Any) -> None:
    address = ctypes.addressof(stream)
    if c.GET(function)(address, ctypes.addressof(into)) != 0:
        text = c.GET_LAST_ERROR(stream.get_last_error)(address)
        raise OSError(ctypes.string_at(text).decode(errors='replace') if text
                      else 'the Arrow stream failed')


def _refuse_nulls(name: str, array: Any, begin: int, length: int) -> None:
    count = array.null_count
    # for a slice of a struct, null_count includes rows outside of it
    is_of_others = count > 0 and array.length != length
    if (count < 0 or is_of_others) and array.n_buffers > 0 and array.buffers[0]:
        count = length - int(_bits(array.buffers[0], begin, length).sum())
    if count > 0:
        raise NullsError(f'{name} has nulls, which cannot be sorted here; drop or fill them, or '
                         f'use sort_table()')


def _bits(address: int, begin: int, length: int) -> Array:
    first = begin // 8
    packed = _memory(address + first, (begin + length + 7) // 8 - first)
    return np.unpackbits(packed, bitorder='little')[begin % 8:begin % 8 + length]


def _memory(address: int, length: int) -> Array:
    memory: Any = (ctypes.c_char * length).from_address(address)
    return np.frombuffer(memory, np.uint8)


def _values(column: Column, array: Any, begin: int, length: int) -> Array:
    if length == 0:
        return np.empty(0, column.dtype)
    _refuse_nulls(f"column '{column.name}'", array, begin, length)
    if column.format == b'b':
        return _bits(array.buffers[1], begin, length)
    size = column.dtype.itemsize
    return _memory(array.buffers[1] + begin * size, length * size).view(column.dtype)


def array_of_column(data: Any) -> Array:
    """Returns a read-only copy of a column that is not in a table: numbers, bool, dates,
    timestamps, durations, or bytes of a fixed width. Times of day are numbers."""
    with Batches(data) as batches:
        columns = Columns(batches.schema)
        if columns.is_table:
            raise type_error(f'{type(data).__name__} is a table; use sort_table()')
        column = columns.columns[0]
        if column.is_decimal:
            raise type_error('NumPy has no decimals; use sorted()')
        arrays = [columns.arrays_of(batch)[0].astype(column.dtype) for batch in batches]
    found = np.concatenate([np.empty(0, column.dtype), *arrays])
    time = _time_of(column.format)
    if time is not None:
        found = found.astype(np.int64, copy=False).view(time)
    found.flags.writeable = False
    return found


def _time_of(format: bytes) -> Optional[str]:
    """Returns NumPy's type for dates, timestamps and durations of Arrow. Timestamps with a zone
    stay in UTC."""
    if format in (b'tdD', b'tdm'):
        return 'M8[D]' if format == b'tdD' else 'M8[ms]'
    if format[:2] not in (b'ts', b'tD'):
        return None
    unit = format[2:3].decode()
    return f"{'M8' if format[:2] == b'ts' else 'm8'}[{unit if unit == 's' else unit + 's'}]"


class Source:
    """Fills an exported stream with the columns of a sorter."""

    error: Any = None

    def __init__(self, sorter: Sorter, columns: Columns) -> None:
        self.sorter, self.columns = sorter, columns

    def fill_schema(self, address: int) -> None:
        schema = c.ArrowSchema.from_address(address)
        children = []
        for column in self.columns.columns:
            children.append(c.ArrowSchema())
            c.fill_schema(children[-1], column.format, column.name.encode(errors='surrogateescape'),
                          column.flags & NULLABLE, column.metadata)
        if self.columns.is_table:
            c.fill_schema(schema, b'+s', b'', 0, self.columns.metadata, children)
        else:
            ctypes.memmove(address, ctypes.addressof(children[0]), ctypes.sizeof(schema))  # moved

    def fill_next(self, address: int) -> None:
        array = c.ArrowArray.from_address(address)
        self.sorter.take_order(self)
        found = self.sorter.pull_with(self._own_columns)
        if found is None:
            array.release = None
            return
        (length, arrays), children = found, []
        for are_valid, nulls, values in arrays:
            children.append(c.ArrowArray())
            c.fill_array(children[-1], length, (are_valid, values), nulls=nulls)
        if self.columns.is_table:
            c.fill_array(array, length, (None,), children)
        else:
            ctypes.memmove(address, ctypes.addressof(children[0]), ctypes.sizeof(array))

    def _own_columns(self, memory: Array,
                     dtype: np.dtype[Any]) -> Tuple[int, List[Tuple[Optional[Array], int, Array]]]:
        """Returns the length of a block's columns, and for each column its validity bits, null
        count and values. The arrays are new, in the layout of Arrow."""
        block = memory.view(dtype)
        columns = [block] if dtype.names is None else [block[name] for name in dtype.names]
        return len(block), [(*_validity(values), np.packbits(values, bitorder='little')
                             if column.format == b'b' else values.copy())
                            for column, values in zip(self.columns.columns, columns)]


def _validity(values: Array) -> Tuple[Optional[Array], int]:
    """Returns the bits of values that are not NaT, and the number of NaTs. None: all values are
    valid."""
    are_null = np.isnat(values) if values.dtype.kind in 'mM' else np.zeros(0, '?')
    nulls = int(np.count_nonzero(are_null))
    return np.packbits(~are_null, bitorder='little') if nulls > 0 else None, nulls
