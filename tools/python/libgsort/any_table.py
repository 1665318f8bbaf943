"""Sorts tables with columns of any type: sort_table and sort_parquet. Both import pyarrow when they
are called."""
from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Optional, Sequence, Union

from .cancel import Cancel
from .errors import type_error
from .layout import Keys
from .progress import Progress
from .table import Path


@dataclass
class TableReport:
    """Reports on the sort of a table. Sizes are in bytes, times in seconds.

    rows: rows that were read
    runs: sorted runs that were made in memory
    passes: how many merges a row went through, at most
    spilled_bytes: written to temporary files
    memory: the limit for the memory of the sort
    seconds: duration of the sort
    """

    rows: int = 0
    runs: int = 0
    passes: int = 1
    spilled_bytes: int = 0
    memory: int = 0
    seconds: float = 0.0


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != 'pyarrow':  # pyarrow is installed, but lacks something
            raise
        raise ImportError(
            f'{error}; sorting tables needs it: pip install libgsort[tables]') from None


def over(cancel: Optional[Cancel]) -> ContextManager[None]:
    """Returns a context for a call that polls `cancel`, which waits until the call has ended."""
    if cancel is not None and not isinstance(cancel, Cancel):
        raise type_error(f'cancel: {type(cancel).__name__} is not a libgsort.Cancel')
    return nullcontext() if cancel is None else cancel.over(lambda: None)


def sort_table(x: Any, keys: Keys = None, *, memory: Union[int, str, None] = None,
               nulls: str = 'last', temp: Optional[Path] = None,
               progress: Union[bool, Callable[[Progress], object]] = False,
               cancel: Optional[Cancel] = None) -> Any:
    """Sorts a table with columns of any type, which may be larger than memory. Rows with equal keys
    keep their order.

    x: an object with __arrow_c_stream__ or __arrow_c_array__: tables, batches and readers of
        pyarrow, frames of Polars and pandas, relations of DuckDB. Also a LazyFrame, which is
        collected batch by batch. A Series or an Arrow array is a table with one column
    keys: columns, the first decides first; '-name' sorts descending. Default: all columns. A key
        may have numbers, decimals, times, bool, text or binary values (ordered by their bytes), or
        dictionaries of these (by their values). Ordered dictionaries and enums of DuckDB are
        ordered by their positions
    memory: the limit for the memory of the sort, at least 32M: a number of bytes, '2G' or '25%'.
        Default: half of the available memory
    nulls: 'last' or 'first', for ascending and descending keys
    temp: the folder for temporary files; default: $TMPDIR or /tmp
    progress: True draws a progress line; or a function that is called with a Progress
    cancel: a Cancel that ends the call or the reader with a CanceledError

    Returns a pyarrow.RecordBatchReader of the sorted rows, after `x` has been read to its end.
    pa.table(..), pl.DataFrame(..) and duckdb read it, once. Its schema, metadata and types are
    those of `x`.

    Floats are ordered as in arrays: -0.0 is before 0.0, and NaNs are greatest, ordered by their
        bits.

    Raises a TypeError if a key has no order, and an OutOfMemoryError if a row needs more than 1/64
    of memory. Raises a FileError or SpaceError if a temporary file cannot be written.
    """
    _need_pyarrow()
    from .tables.table import sort_table as work
    with over(cancel):
        return work(x, keys, memory, nulls, temp, progress, cancel)


def sort_parquet(src: Union[Path, Sequence[Path]], dst: Path, keys: Keys = None,
                 memory: Union[int, str, None] = None, *,
                 nulls: str = 'last', compression: Optional[str] = None,
                 compression_level: Optional[int] = None,
                 row_group_size: Optional[int] = None, temp: Optional[Path] = None,
                 progress: Union[bool, Callable[[Progress], object]] = False,
                 cancel: Optional[Cancel] = None) -> TableReport:
    """Sorts Parquet files into one file, which appears whole or not at all. Returns a TableReport.

    src: a path or several, of files with the same columns
    dst: a path; may be one of `src`
    keys, memory, nulls, progress, cancel: as for sort_table
    compression: 'zstd', 'snappy', 'none' or another codec. Default: that of each column in the
        first file
    compression_level: a level of the codec
    row_group_size: rows. Default: the size of the largest row group of the inputs. A row group that
        would need more than an eighth of memory is written smaller
    temp: the folder for temporary files; default: the folder of `dst`

    The output has the schema and metadata of the first file, and a page index if that file has one.
    Its statistics are computed again, and it records the columns that it is sorted by. Columns get
    the default encodings of Arrow, and Bloom filters are dropped.

    INT96 times are written as nanoseconds in INT64. Raises an InputError for an INT96 time outside
    of 1677..2262, which does not fit, and for a file that is not Parquet. Raises a TypeError for
    files with other columns, and other errors as sort_table does.
    """
    _need_pyarrow()
    from .tables.parquet import sort_parquet as work
    style = {'compression': compression, 'compression_level': compression_level,
             'row_group_size': row_group_size}
    with over(cancel):
        return work(src, dst, keys, memory, nulls, style, temp, progress, cancel)
