"""Imports tables and columns into pyarrow, from any library that exports Arrow data."""
from __future__ import annotations

import ctypes

import pyarrow as pa

from ..arrow_c import ArrowArray
from ..arrow_table import Batches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


def reader_of(x: Any) -> Any:
    """Returns a pyarrow.RecordBatchReader of a table, stream or batch, of a single column, or of a
    LazyFrame of Polars.

    Raises a TypeError for other objects.
    """
    if hasattr(x, 'collect_batches'):
        schema = imported(x.head(0).collect()).schema
        return pa.RecordBatchReader.from_batches(schema, (batch for frame in x.collect_batches()
                                                          for batch in imported(frame)))
    if isinstance(x, (pa.Array, pa.ChunkedArray)) and not isinstance(x, pa.RecordBatch):
        x = pa.table({'value': x})
    elif hasattr(x, 'to_frame'):  # a Series
        x = x.to_frame()
    # its batches may have other schemas, which an Arrow stream would not show
    if isinstance(x, pa.RecordBatchReader):
        return x
    if hasattr(x, '__arrow_c_stream__') or hasattr(x, '__arrow_c_array__'):
        return imported(x)
    raise TypeError(f"sort_table(): {type(x).__name__} is not an Arrow table; it needs "
                    f"__arrow_c_stream__, as tables of "
                    'pyarrow, Polars, DuckDB and pandas have')


def imported(data: Any) -> Any:
    """Returns a pyarrow.RecordBatchReader of an object with __arrow_c_stream__ or
    __arrow_c_array__. A single column yields a table with it."""
    def parts() -> Iterator[Any]:
        with Batches(data) as batches:
            yield schema_of(batches)[0]
            for batch in batches:
                yield batch_of(batches, batch)
    made = parts()
    return pa.RecordBatchReader.from_batches(next(made), made)


def schema_of(batches: Batches) -> Any:
    """Returns the schema for pyarrow, and whether it is the schema of a table. A single column
    yields a schema with one field."""
    if batches.of_pyarrow is None:
        is_table = batches.schema.format == b'+s'
        at = ctypes.addressof(batches.schema)
        if is_table:
            schema = pa.Schema._import_from_c(at)
        else:
            field = pa.Field._import_from_c(at)
            schema = pa.schema([field.with_name(field.name or 'value')])
        batches.of_pyarrow = schema, is_table
    return batches.of_pyarrow


def batch_of(batches: Batches, batch: ArrowArray) -> Any:
    """Returns the batch as a RecordBatch of pyarrow, which then owns its memory."""
    (schema, is_table), at = schema_of(batches), ctypes.addressof(batch)
    if is_table and batch.offset == 0 and batch.null_count == 0:
        rows = pa.RecordBatch._import_from_c(at, schema)
        return rows.slice(0, rows.num_rows)  # cuts columns that are longer than the batch
    if is_table:
        rows = pa.Array._import_from_c(at, pa.struct(list(schema)))
        if rows.null_count > 0:
            raise ValueError(f'{rows.null_count} rows are null as a whole; only their columns may '
                             f'be null')
        return pa.RecordBatch.from_struct_array(rows)
    return pa.RecordBatch.from_arrays([pa.Array._import_from_c(at, schema.types[0])], schema=schema)
