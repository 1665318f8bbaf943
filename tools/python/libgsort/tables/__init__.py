"""Sorts tables with columns of any type, which may be larger than memory, by any keys: from Arrow
to Arrow, and from Parquet to Parquet.

    batch --> converted --> records ----------- Sorter ------> sorted records --> rows --> batch
          (convert.py)   (order.py,      (the library, which      (sort.py)     (rows.py,
                         rows.py)         sorts and spills)           |         convert.py)
                            |                                         |
                            +--> groups of long texts and lists --> next row of each run
                                   (store.py: sorted runs in memory, or in an unnamed file)

The Sorter does all sorting that may exceed memory. A record contains the keys, and all columns of a
fixed width and short texts. Other values are stored in runs that have the order of their records.
Each sorted record says which run has its part, so a run is read from front to back, and nothing is
compared again. Tables without long texts, lists and structs need no store.

The limit `memory` (M) is divided: 5/8 are for the Sorter, or 3/8 if rows have to be stored. Groups
use an eighth each, one that is filled and one that is sorted and written. Runs that stay in memory
use an eighth. A window has M/64.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Union, overload

from .._hints import Scalar, Unpack, np, npt
from ..arrays import array_of, is_arrow
from ..arrays import sort as sort_array  # tables.sort is a module
from ..cancel import Cancel, over
from ..errors import type_error
from ..frames import Column, Frame, is_series, library_of, table_like
from ..job import SortOptions
from ..keywords import Descending, Keys, OtherKeys, Path, for_array, is_true, named, nulls_of
from ..progress import Progressing
from ..report import TableReport

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN_OPTIONS = {'reverse', 'memory', 'temp', 'progress', 'cancel', 'kind', 'stable', 'axis'}


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != 'pyarrow':  # pyarrow is installed, but lacks something
            raise
        raise ImportError(
            f'{error}; sorting tables needs it: pip install libgsort[tables]') from None


def table_keys(by: Keys, words: Mapping[str, Any]) -> Keys:
    """Returns the keys that were given as `by` or by another word."""
    found = named(words, by=by)
    keys: Keys = found.pop('by', None)
    if found:
        raise type_error(f"'{min(found)}' is not an option of a table")
    return keys


@overload
def sort_table(x: Frame, by: Keys = None, *, descending: Descending = False,
               nulls_last: Optional[bool] = None, nulls: Optional[str] = None,
               memory: Union[int, str, None] = None, temp: Optional[Path] = None,
               progress: Progressing = False, cancel: Optional[Cancel] = None,
               storage_options: Optional[Mapping[str, Any]] = None,
               **words: Unpack[OtherKeys]) -> Frame: ...
@overload
def sort_table(x: Any, by: Keys = None, *, descending: Descending = False,
               nulls_last: Optional[bool] = None, nulls: Optional[str] = None,
               memory: Union[int, str, None] = None, temp: Optional[Path] = None,
               progress: Progressing = False, cancel: Optional[Cancel] = None,
               storage_options: Optional[Mapping[str, Any]] = None,
               **words: Unpack[OtherKeys]) -> pa.RecordBatchReader: ...


def sort_table(x: Any, by: Keys = None, *, descending: Descending = False,
               nulls_last: Optional[bool] = None, nulls: Optional[str] = None,
               memory: Union[int, str, None] = None, temp: Optional[Path] = None,
               progress: Progressing = False, cancel: Optional[Cancel] = None,
               storage_options: Optional[Mapping[str, Any]] = None,
               **words: Unpack[OtherKeys]) -> Any:
    """Sorts a table with columns of any type, which may be larger than memory. Rows with equal keys
    keep their order.

    x: an object with __arrow_c_stream__ or __arrow_c_array__: tables, batches and readers of
        pyarrow, frames of Polars and pandas, relations of DuckDB. Also a LazyFrame, which is
        collected batch by batch. A Series or an Arrow array is a table with one column. Or files
        with the same columns (Parquet, Arrow, CSV, ORC, JSON): a path, a pattern such as
        'in/*.parquet', a URL of fsspec or pyarrow.fs, several of these, or a dataset of pyarrow
    by: columns, the first decides first; '-name' sorts descending. Default: all columns. A key
        may have numbers, decimals, times, bool, text or binary values (ordered by their bytes), or
        dictionaries of these (by their values). Ordered dictionaries and enums of DuckDB are
        ordered by their positions
    descending: sort in descending order; or one bool per key
    nulls_last: True (default) or False, for ascending and descending keys
    memory: the limit for the memory of the sort, at least 32M: a number of bytes, '2G' or '25%'.
        Default: half of the available memory
    temp: the folder for temporary files; default: $TMPDIR or /tmp
    progress: True draws a progress line; or a function that is called with a Progress
    cancel: a Cancel that ends the call or the reader with a CanceledError
    storage_options: options of fsspec for URLs

    Returns a DataFrame for a DataFrame of pandas or Polars, and a Series for a Series. Row labels
    of pandas stay with their rows, except for a RangeIndex. All others give a
    pyarrow.RecordBatchReader of the sorted rows. `x` has been read to its end before. The reader
    is read once, by pa.table(..), pl.DataFrame(..) or duckdb. Its schema, metadata and types are
    those of `x`.

    Floats are ordered as in arrays: -0.0 is before 0.0, and NaNs are greatest, ordered by their
    bits.

    Raises a TypeError if a key has no order, and an OutOfMemoryError if a row needs more than 1/64
    of memory. Raises a FileError or SpaceError if a temporary file cannot be written.
    """
    _need_pyarrow()
    from .sort import sorted_reader
    from .sources import reader_of
    keys = table_keys(by, words)
    with over(cancel):
        source = reader_of(x, storage_options)
        if keys is None and is_series(x):
            keys = source.schema.names[:1]  # the next one is pandas' index
        found = sorted_reader(source, keys, descending, nulls_of(nulls, nulls_last) or 'last',
                              memory, temp, progress, cancel)
        return (table_like(x, found.read_all())
                if library_of(x, 'DataFrame') or is_series(x) else found)


def sort_parquet(src: Any, dst: Path, by: Keys = None, memory: Union[int, str, None] = None, *,
                 descending: Descending = False, nulls_last: Optional[bool] = None,
                 nulls: Optional[str] = None, compression: Optional[str] = None,
                 compression_level: Optional[int] = None, row_group_size: Optional[int] = None,
                 temp: Optional[Path] = None, progress: Progressing = False,
                 cancel: Optional[Cancel] = None,
                 storage_options: Optional[Mapping[str, Any]] = None,
                 **words: Unpack[OtherKeys]) -> TableReport:
    """Sorts Parquet files into one file, which appears whole or not at all. Returns a TableReport.

    src: a path, a pattern such as 'in/*.parquet', a URL of fsspec or pyarrow.fs, several of these,
        or a dataset of pyarrow: files with the same columns
    dst: a path, which may be one of `src`; or a URL
    by, memory, descending, nulls_last, progress, cancel, storage_options: as for sort_table
    compression: 'zstd', 'snappy', 'none' or another codec. Default: that of each column in the
        first file
    compression_level: a level of the codec
    row_group_size: rows. Default: the size of the largest row group of the inputs. A row group that
        would need more than an eighth of memory is written smaller
    temp: the folder for temporary files; default: the folder of `dst`, or for a URL $TMPDIR or /tmp

    The output has the schema and metadata of the first file, and a page index if that file has one.
    Its statistics are computed again, and it records the columns that it is sorted by. Columns get
    the default encodings of Arrow, and Bloom filters are dropped. An output at a URL is written to
    `temp` first.

    INT96 times are written as nanoseconds in INT64. Raises an InputError for an INT96 time outside
    of 1677..2262, which does not fit, and for a file that is not Parquet. Raises a TypeError for
    files with other columns, and other errors as sort_table does.
    """
    _need_pyarrow()
    from .parquet import sort_parquet as work
    style = {'compression': compression, 'compression_level': compression_level,
             'row_group_size': row_group_size}
    with over(cancel):
        order = table_keys(by, words), descending, nulls_of(nulls, nulls_last) or 'last'
        return work(src, dst, order, memory, style, temp, progress, cancel, storage_options)


@overload
def sorted(a: npt.NDArray[Scalar], *, by: Keys = None, descending: bool = False,
           **options: Unpack[SortOptions]) -> npt.NDArray[Scalar]: ...
@overload
def sorted(a: Column, *, descending: bool = False, nulls_last: Optional[bool] = None,
           nulls: Optional[str] = None, **options: Unpack[SortOptions]) -> Column: ...
@overload
def sorted(a: Any, *, by: Keys = None, descending: bool = False, nulls_last: Optional[bool] = None,
           nulls: Optional[str] = None, **options: Unpack[SortOptions]) -> Any: ...


def sorted(a: Any, *, by: Keys = None, descending: bool = False, nulls_last: Optional[bool] = None,
           nulls: Optional[str] = None, **options: Unpack[SortOptions]) -> Any:
    """Returns a sorted copy, which belongs to the caller; `a` does not change.

    a: an array, as for sort: the copy is a new ndarray. Or a column of any type that has an order:
        a Series of Polars or pandas gives a Series, and a pyarrow.Array or ChunkedArray gives a
        pyarrow.ChunkedArray
    by: as for sort; not for a column
    descending: sort in descending order
    nulls_last: of a column: True (default) or False, also with descending
    options: as for sort; for a column only memory, temp, progress and cancel

    Raises a TypeError if `a` is a table, or if an option is not one for columns.
    """
    where = nulls_of(nulls, nulls_last)
    if not is_arrow(a):
        if where not in (None, 'last'):
            raise type_error('nulls: only for Arrow columns; an array has no nulls')
        copy = np.array(array_of(a))
        sort_array(copy, by=by, descending=descending, **options)
        return copy
    given = {name: value for name, value in named(options, by=by, descending=descending).items()
             if value is not None}
    others = set(given) - COLUMN_OPTIONS
    if others:
        raise type_error(f'{min(others)}: not for an Arrow column, which accepts only descending, '
                         f'nulls_last, memory, temp, progress and cancel')
    return _sorted_column(a, where, given)


def _sorted_column(a: Any, nulls: Optional[str], options: Any) -> Any:
    for_array(options)
    options['descending'] = is_true(options.pop('reverse', None))
    with over(options.get('cancel')):  # also while the column is read
        if is_series(a):
            return sort_table(a, nulls=nulls, **options)
        return sort_table(_alone(a), 'value', nulls=nulls, **options).read_all().column(0)


def _alone(a: Any) -> Any:
    """Returns the column as a table with one column, 'value'."""
    import pyarrow as pa
    if hasattr(a, 'columns'):
        raise type_error(f'{type(a).__name__} is a table; use sort_table()')
    if not isinstance(a, (pa.Array, pa.ChunkedArray)):
        from .sources import imported
        table = imported(a).read_all()
        if table.num_columns != 1:
            raise type_error(f'{type(a).__name__} is a table; use sort_table()')
        a = table.column(0)
    return pa.table({'value': a})
