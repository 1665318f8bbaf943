"""Converts columns to types that can be sorted as payload, and sorted columns back to their types.

Columns stay unchanged if Arrow can select and join their rows. A dictionary column is converted to
indexes of one dictionary for all rows. Views of text, run-end encoded columns, and dictionaries
inside lists and structs are decoded, and encoded again after the sort.
"""
from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import argsort
from ..errors import OutOfMemoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple


def converted_type(kind: pa.DataType, is_unpacked: bool = True) -> pa.DataType:
    """Returns the type to which a column of `kind` is converted. is_unpacked: replace dictionaries
    in it by their values."""
    types = pa.types

    def field(of: pa.Field) -> pa.Field:
        return of.with_type(converted_type(of.type, is_unpacked))
    if hasattr(types, 'is_string_view') and types.is_string_view(kind):
        return pa.large_string()
    if hasattr(types, 'is_binary_view') and types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_dictionary(kind):
        values = converted_type(kind.value_type, is_unpacked)
        return values if is_unpacked else pa.dictionary(kind.index_type, values, kind.ordered)
    if types.is_run_end_encoded(kind):
        return converted_type(kind.value_type, is_unpacked)
    if types.is_struct(kind):
        return pa.struct([field(kind.field(i)) for i in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(field(kind.key_field), field(kind.item_field), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(field(kind.value_field), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(field(kind.value_field))
    return pa.list_(field(kind.value_field)) if types.is_list(kind) else kind


class Converter:
    """Converts one column to its payload type and back. This base class leaves the column
    unchanged."""

    def __init__(self, field: pa.Field, converted: Optional[pa.DataType] = None) -> None:
        self.name, self.type = field.name, field.type
        self.converted = field.type if converted is None else converted

    def convert(self, array: pa.Array) -> pa.Array:
        return array

    def restore(self, array: pa.Array) -> pa.Array:
        return array

    def key(self, array: pa.Array) -> pa.Array:
        """Returns an array that has the order of the column, of a type that order.py supports."""
        return storage(array)

    def lookup(self, array: pa.Array) -> Tuple[pa.Array, Optional[pa.Array]]:
        """Returns key(array), and None. A dictionary returns its values, and the place of each
        row's value among them."""
        return self.key(array), None


class Unpacked(Converter):

    def __init__(self, field: pa.Field) -> None:
        self.is_extension = isinstance(field.type, pa.BaseExtensionType)
        self.storage = storage_type(field.type)
        self.plain = converted_type(self.storage, False)
        super().__init__(field, converted_type(self.storage))

    def convert(self, array: pa.Array) -> pa.Array:
        array = array.storage if self.is_extension else array
        if pa.types.is_run_end_encoded(array.type):
            array = pc.run_end_decode(array)
        return array.cast(self.plain).cast(self.converted)

    def restore(self, array: pa.Array) -> pa.Array:
        if pa.types.is_run_end_encoded(self.storage):
            array = pc.run_end_encode(array.cast(self.storage.value_type),
                                      run_end_type=self.storage.run_end_type)
        else:
            array = array.cast(self.plain).cast(self.storage)
        return pa.ExtensionArray.from_storage(self.type, array) if self.is_extension else array


class ListViews(Unpacked):
    """Converts list views to lists, because slices and selected rows of views keep the values of
    all rows.

    pyarrow 26 casts between views and lists wrongly, so they are built from their offsets.
    """

    def __init__(self, field: pa.Field) -> None:
        self.view = field.type
        is_large = pa.types.is_large_list_view(field.type)
        self.lists, self.views, self.offset = (((pa.LargeListArray, pa.LargeListViewArray,
                                                 pa.int64()) if is_large
                                                else (pa.ListArray, pa.ListViewArray, pa.int32())))
        super().__init__(field.with_type((pa.large_list if is_large
                                          else pa.list_)(field.type.value_field)))

    def _offsets(self, array: pa.Array) -> Tuple[pa.Array, pa.Array]:
        """Returns the offsets of the rows in the values that flatten() returns, and their
        lengths."""
        lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        return pa.array(np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
                        self.offset), pa.array(lengths, self.offset)

    def convert(self, array: pa.Array) -> pa.Array:
        return super().convert(self.lists.from_arrays(self._offsets(array)[0], array.flatten(),
                                                      type=self.storage, mask=array.is_null()))

    def restore(self, array: pa.Array) -> pa.Array:
        array = super().restore(array)
        offsets, lengths = self._offsets(array)
        begins = pa.array(offsets.to_numpy()[:-1], self.offset)
        return self.views.from_arrays(begins, lengths, array.flatten(), type=self.view,
                                      mask=array.is_null())


class Dictionary(Converter):
    """Converts a dictionary column to indexes of the values of all its dictionaries, which stay in
    memory."""

    def __init__(self, field: pa.Field, limit_bytes: int) -> None:
        super().__init__(field, pa.int32())
        self.limit_bytes = limit_bytes
        kind = converted_type(field.type.value_type)
        # index_in of Arrow does not support float16
        self.values = pa.array([], pa.float32() if pa.types.is_float16(kind) else kind)
        self.index_type = field.type.index_type
        self.most = 1 << self.index_type.bit_width - pa.types.is_signed_integer(self.index_type)
        self._last: Any = None  # the last dictionary, converted by _bits
        self._places: Any = None
        self._ranks: Any = None, None  # values, and the rank of each value
        self._out: Any = None

    def convert(self, array: pa.Array) -> pa.Array:
        if self._last is None or not self._last.equals(_bits(array.dictionary)):
            self._unify(array.dictionary)
        return self._places.take(array.indices)

    def _unify(self, dictionary: pa.Array) -> None:
        values = dictionary.cast(self.values.type)
        places = pc.index_in(values, value_set=self.values)
        fresh = pc.drop_null(pc.unique(values.filter(places.is_null())))
        first = pc.drop_null(values)[:len(self.values)]
        is_same_order = _rise(places) and (len(fresh) == 0
                                           or _bits(first).equals(_bits(self.values)))
        if self.type.ordered and len(self.values) > 0 and not is_same_order:
            raise TypeError(f"column '{self.name}': its dictionary is ordered, but differs from an "
                            f"earlier one; use one dictionary in all batches")
        if len(fresh) > 0:
            self.values = pa.concat_arrays([self.values, fresh])
            places = pc.index_in(values, value_set=self.values)
            self._out = None
        if len(self.values) > self.most:
            raise TypeError(f"column '{self.name}': its dictionaries have {len(self.values)} "
                            f"values together, too many for indexes of "
                            f'{self.index_type}; cast the column to text')
        if self.values.nbytes > self.limit_bytes:
            raise OutOfMemoryError(f"column '{self.name}': its dictionary needs "
                                   f"{self.values.nbytes} bytes, but may have at most "
                                   f"{self.limit_bytes}; give more memory, or decode the column")
        self._places = pc.if_else(values.is_null(), pa.scalar(None, pa.int32()), places)
        self._last = _bits(dictionary)

    def restore(self, array: pa.Array) -> pa.Array:
        if self._out is None:
            self._out = self.values.cast(self.type.value_type)
        return pa.DictionaryArray.from_arrays(array.cast(self.index_type), self._out,
                                              ordered=self.type.ordered)

    def key(self, array: pa.Array) -> pa.Array:
        if self.type.ordered:
            return array
        ranked, ranks = self._ranks
        if ranked is not self.values:  # another thread may have added values
            ranked = self.values
            ranks = _ranks(ranked)
            self._ranks = ranked, ranks
        return ranks.take(array)

    def lookup(self, array: pa.Array) -> Tuple[pa.Array, Optional[pa.Array]]:
        return (array, None) if self.type.ordered else (self.values, array)


def _bits(values: pa.Array) -> pa.Array:
    """Returns floats as integers, because Arrow compares -0 and 0 as equal. Returns other values
    unchanged."""
    return (values.view(f'uint{values.type.bit_width}') if pa.types.is_floating(values.type)
            else values)


def _ranks(values: pa.Array) -> pa.Array:
    """Returns the rank of each of the distinct values. Floats are ordered as in arrays, because
    Arrow ranks -0 and 0 equally."""
    if not pa.types.is_floating(values.type):
        return pc.rank(values, 'ascending', tiebreaker='dense').cast(pa.uint32())
    ranks = np.empty(len(values), np.uint32)
    ranks[argsort(values.to_numpy(zero_copy_only=False))] = np.arange(len(values), dtype=np.uint32)
    return pa.array(ranks)


def _rise(places: pa.Array) -> bool:
    known = pc.drop_null(places)
    return bool(pc.all(pc.greater(known[1:], known[:-1]), min_count=0).as_py())


def storage_type(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def storage(array: pa.Array) -> pa.Array:
    return array.storage if isinstance(array.type, pa.BaseExtensionType) else array


def converter_of(field: pa.Field, limit_bytes: int) -> Converter:
    kind = field.type
    if (pa.types.is_dictionary(kind) and not pa.types.is_nested(kind.value_type)
        and not pa.types.is_dictionary(kind.value_type)):
        return Dictionary(field, limit_bytes)
    if hasattr(pa.types, 'is_list_view') and (pa.types.is_list_view(kind)
                                              or pa.types.is_large_list_view(kind)):
        return ListViews(field)
    kind = storage_type(kind)
    return Converter(field) if converted_type(kind) == kind else Unpacked(field)


class Converters:
    """The converters of all columns of a table. limit_bytes: the maximum size of a dictionary"""

    def __init__(self, schema: pa.Schema, limit_bytes: int) -> None:
        self.schema = schema
        self.columns: List[Converter] = [converter_of(field, limit_bytes) for field in schema]
        self.converted = pa.schema([pa.field(str(i), column.converted)
                                  for i, column in enumerate(self.columns)])

    def convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return self._each(batch, self.converted, lambda column, array: column.convert(array))

    def restore(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return self._each(batch, self.schema, lambda column, array: column.restore(array))

    def _each(self, batch: pa.RecordBatch, schema: pa.Schema,
              make: Callable[[Converter, pa.Array], pa.Array]) -> pa.RecordBatch:
        arrays = []
        for column, array in zip(self.columns, batch.columns):
            try:
                arrays.append(make(column, array))
            except pa.ArrowNotImplementedError as error:
                raise TypeError(f"column '{column.name}' of {column.type} cannot be sorted with "
                                f"pyarrow {pa.__version__}: {error}") from None
        if not arrays:
            return (pa.RecordBatch.from_struct_array(pa.StructArray.from_arrays([], fields=[]))
                    if batch.num_rows == 0 else batch)
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def index_of(schema: pa.Schema, name: str) -> Optional[int]:
    """Returns the index of the column with this name, or None if there is none."""
    found = schema.get_all_field_indices(name)
    if len(found) > 1:
        raise ValueError(f"'{name}' is the name of {len(found)} columns; a key must name one")
    return found[0] if found else None
