"""Keys: the columns by which rows are sorted, and their values in the types of the library.

rows.py puts the values into the records of all rows. A few rows are also sorted here, in memory, by
their complete keys:

    key    [ is null: u8 ][ value, zeros for a null ]   the first field only if there are nulls
    text   [ rank among all texts: u64 ]

Nulls are first or last in both directions, as in Arrow. Floats are ordered as in arrays: -0 is
before 0, and NaNs are last, by their bits.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import argsort
from .convert import index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Mapping, Optional, Sequence, Set, Tuple

    import numpy.typing as npt

    from ..keywords import Descending
    from .convert import Converters

    Part = Tuple[npt.NDArray[Any], bool]  # values, and whether they follow the key's direction

SHORT_BYTES = 32  # the most bytes of values of a fixed width that are no texts


@dataclass(eq=False)
class Key:
    """A column by which rows are sorted. skip: the bytes at the start of its texts that are equal
    in all rows"""

    column: int
    name: str
    is_descending: bool
    skip: int = 0


def keys_of(schema: pa.Schema, texts: Sequence[str], descending: Descending = False) -> List[Key]:
    """Returns the keys for texts: 'name', or '-name' for descending. No texts: all columns

    descending: turns the direction of all keys, or of each one

    Raises a ValueError for a column that does not exist, and a TypeError for a column whose type
    has no order.
    """
    found: List[Key] = []
    texts = texts or [field.name for field in schema]
    turned = list(descending) if hasattr(descending, '__iter__') else [descending] * len(texts)
    if len(turned) != len(texts):
        raise ValueError(f'descending: has {len(turned)} values for {len(texts)} keys')
    for text, is_turned in zip(texts, turned):
        name, column = text, index_of(schema, text)
        if column is None and text[:1] == '-':
            name, column = text[1:], index_of(schema, text[1:])
        if column is None:
            raise ValueError(f"'{name}' is not a column of the table; it has "
                             f"{', '.join(schema.names)}")
        _refuse_unordered(schema.field(column))
        found.append(Key(column, name, (name != text) != bool(is_turned)))
    return found


def _refuse_unordered(field: pa.Field) -> None:
    kind = field.type
    while True:
        if getattr(kind, 'extension_name', '') == 'arrow.opaque':
            break
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        else:
            break
    if (isinstance(kind, pa.BaseExtensionType) or pa.types.is_nested(kind)
        or pa.types.is_interval(kind)):
        raise TypeError(f"'{field.name}' cannot be a key: {field.type} has no order; numbers, "
                        f"decimals, times, bool, text and binary have one")


class Order:

    def __init__(self, converters: Converters, keys: Sequence[Key], nulls_first: bool,
                 options: Mapping[str, Any]) -> None:
        """options: of gs.argsort"""
        self.converters, self.keys = converters, keys
        self.nulls_first, self.options = nulls_first, options
        # with floats that are equal for other programs: -0 and 0, or NaNs with different bits
        self.split_columns: Set[int] = set()

    def by(self, keys: Sequence[Key]) -> Order:
        """Returns an order of the same table by other keys."""
        return Order(self.converters, keys, self.nulls_first, self.options)

    def note_split(self, column: int, array: pa.Array) -> None:
        """Notes if a column has floats that are equal for other programs."""
        if column not in self.split_columns and _has_split(array):
            self.split_columns.add(column)

    def places(self, batch: pa.RecordBatch) -> npt.NDArray[np.intp]:
        """Returns the places of the rows of a converted batch in sorted order. Equal rows keep
        their order."""
        parts: List[Tuple[npt.NDArray[Any], bool]] = []  # values, and whether they descend
        for key in self.keys:
            array = self.converters.columns[key.column].key(batch.column(key.column))
            parts += [(values, follows and key.is_descending)
                      for values, follows in self._parts(array)]
        places = np.arange(batch.num_rows, dtype=np.intp)
        for values, is_descending in reversed(parts):  # the last key first: each sort is stable
            records = values[places].view([('value', values.dtype)])
            places = places[argsort(records, by='-value' if is_descending else 'value',
                                    **self.options)]
        return places

    def _parts(self, array: pa.Array) -> List[Part]:
        if pa.types.is_null(array.type):
            return []
        parts: List[Part] = []
        is_null = nulls_of(array)
        if is_null is not None:
            parts.append((1 - is_null if self.nulls_first else is_null, False))
        if is_text_key(array.type):
            array = pc.rank(array, 'ascending', tiebreaker='dense')
        for values in numbers_of(array):
            if is_null is not None:
                values = values.copy()
                values[is_null != 0] = np.zeros((), values.dtype)
            parts.append((values, True))
        return parts


def _has_split(array: pa.Array) -> bool:
    if not pa.types.is_floating(array.type):
        return False
    floats = numbers_of(array)[0]
    bits = floats.view(f'u{floats.itemsize}')
    nans = bits[np.isnan(floats)]
    return bool((bits == 1 << 8 * floats.itemsize - 1).any()
                or (nans != np.array(np.nan, floats.dtype).view(bits.dtype)).any())


def numbers(array: pa.Array, dtype: Any) -> npt.NDArray[Any]:
    """Returns the values of an array in Arrow's memory, which they keep alive."""
    dtype = np.dtype(dtype)
    if len(array) == 0:
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)


def nulls_of(array: pa.Array) -> Optional[npt.NDArray[np.uint8]]:
    """Returns 1 for each null and 0 for each value, or None if there are no nulls."""
    return None if array.null_count == 0 else numbers(array.is_null().cast(pa.uint8()), 'u1')


def is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def is_text_key(kind: pa.DataType) -> bool:
    """Returns whether values of a key are texts: of any length, or of too many bytes for a
    number."""
    return (is_text(kind) or pa.types.is_fixed_size_binary(kind)
            and not 0 < kind.byte_width <= SHORT_BYTES)


def texts_as_binary(array: pa.Array) -> pa.Array:
    return array.cast(pa.large_binary()) if pa.types.is_fixed_size_binary(array.type) else array


def numbers_of(array: pa.Array) -> List[npt.NDArray[Any]]:
    """Returns fields of a record that have the order of the values, which are no texts."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return [numbers(array.cast(pa.uint8()), 'u1')]
    if pa.types.is_decimal(kind):
        words = kind.bit_width // 64
        if words == 0:
            return [numbers(array, '<i4')]
        values = numbers(array, f'V{8 * words}').view('<u8').reshape(-1, words)
        return [values[:, words - 1].view('<i8'),
                *(values[:, i] for i in reversed(range(words - 1)))]
    if pa.types.is_floating(kind):
        return [numbers(array, f'<f{kind.bit_width // 8}')]
    if pa.types.is_fixed_size_binary(kind):
        return [numbers(array, f'V{kind.byte_width}')]
    letter = 'u' if pa.types.is_unsigned_integer(kind) else 'i'
    return [numbers(array, f'<{letter}{kind.bit_width // 8}')]
