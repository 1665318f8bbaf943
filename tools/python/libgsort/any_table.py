"""Tables of any columns: sort_table, sort_parquet, and sorted. They need pyarrow, which is imported when one of them is called."""
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
    """What a sort of a table did. Sizes are bytes."""

    rows: int = 0
    runs: int = 0  # groups of rows that were sorted in memory
    passes: int = 1  # merges that a row went through, at most
    spilled_bytes: int = 0  # written to temporary files
    memory: int = 0  # the ceiling
    seconds: float = 0.0


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != 'pyarrow':  # pyarrow is installed, and lacks something
            raise
        raise ImportError(f'{error}; tables of any columns need it: pip install libgsort[tables]') from None


def over(cancel: Optional[Cancel]) -> ContextManager[None]:
    """While a call is at work, which looks now and then whether it is canceled."""
    if cancel is not None and not isinstance(cancel, Cancel):
        raise type_error(f'cancel: {type(cancel).__name__}; a libgsort.Cancel is wanted')
    return nullcontext() if cancel is None else cancel.over(lambda: None)


def sort_table(x: Any, keys: Keys = None, *, memory: Union[int, str, None] = None, nulls: str = 'last', temp: Optional[Path] = None,
               progress: Union[bool, Callable[[Progress], object]] = False, cancel: Optional[Cancel] = None) -> Any:
    """Sorts a table of any columns, larger than memory too. Rows with equal keys keep their order.

    x: what has __arrow_c_stream__ or __arrow_c_array__: tables, batches, readers of pyarrow, frames of Polars and pandas, relations of
        DuckDB; a LazyFrame, which is collected batch by batch; a Series or Arrow array, as a table of one column
    keys: columns, the first decides first; '-name' descending; default: all of them. Numbers, decimals, times, bool, text and binary
        (by their bytes), dictionaries of these (by their values; ordered ones, and enums of DuckDB, by their places)
    memory: the ceiling for what the sort takes, 32M at least: bytes, '2G', '25%'; default half of what there is
    nulls: 'last' or 'first', whatever the direction of the key
    temp: the folder for what does not fit; default $TMPDIR or /tmp
    progress: True draws a line; or a function that is given a Progress
    cancel: ends the call, and the reader, with a CanceledError

    Returns a pyarrow.RecordBatchReader of the sorted rows, which is read once: pa.table(..), pl.DataFrame(..), duckdb take it. `x` has
    been read then; schema, metadata and types are those of `x`.

    Floats are ordered as in arrays: -0.0 before 0.0, and NaNs are the greatest, by their bits. A row of more than a 64th of memory is an
    OutOfMemoryError, a key without an order a TypeError, a temporary file that cannot be written a FileError or SpaceError.
    """
    _need_pyarrow()
    from .tables.table import sort_table as work
    with over(cancel):
        return work(x, keys, memory, nulls, temp, progress, cancel)


def sort_parquet(src: Union[Path, Sequence[Path]], dst: Path, keys: Keys = None, memory: Union[int, str, None] = None, *,
                 nulls: str = 'last', compression: Optional[str] = None, compression_level: Optional[int] = None,
                 row_group_size: Optional[int] = None, temp: Optional[Path] = None,
                 progress: Union[bool, Callable[[Progress], object]] = False, cancel: Optional[Cancel] = None) -> TableReport:
    """Sorts Parquet files into one, which appears whole or not at all, and may be one of them.

    src: a file or several, with the same columns
    keys, memory, nulls, progress, cancel: as of sort_table
    compression: 'zstd', 'snappy', 'none', ..; default each column's in the first file
    row_group_size: rows; default the most that a row group of the inputs has. A row group is smaller where it would take more than an
        eighth of memory
    temp: default the folder of `dst`

    The schema, metadata and, if there is one, the index of pages are those of the first file; statistics are made anew, and the output
    says by which columns it is sorted. Other encodings than Arrow's usual ones, and Bloom filters, are not kept: times of INT96 become
    nanoseconds in INT64. A file with one that nanoseconds do not hold, outside of 1677..2262, is an InputError.
    """
    _need_pyarrow()
    from .tables.parquet import sort_parquet as work
    style = {'compression': compression, 'compression_level': compression_level, 'row_group_size': row_group_size}
    with over(cancel):
        return work(src, dst, keys, memory, nulls, style, temp, progress, cancel)
