"""Returns results in the kind of object that was given: a DataFrame or Series of pandas or
Polars."""
from __future__ import annotations

import sys
from typing import Any, Protocol, TypeVar

from ._hints import Array


class _Frame(Protocol):
    """What DataFrames and Series have, and tables of pyarrow and relations do not."""

    @property
    def sample(self) -> Any: ...

    @property
    def to_numpy(self) -> Any: ...


class _Column(_Frame, Protocol):
    @property
    def to_frame(self) -> Any: ...


Frame = TypeVar('Frame', bound=_Frame)  # a DataFrame or Series
Column = TypeVar('Column', bound=_Column)  # a Series


def library_of(x: Any, kind: str) -> str:
    """Returns the library of a 'DataFrame' or 'Series': 'pandas' or 'polars', or '' for other
    objects."""
    return next((name for name in ('pandas', 'polars') if isinstance(
        x, getattr(sys.modules.get(name), kind, ()))), '')


def is_series(x: Any) -> bool:
    return library_of(x, 'Series') != ''


def series_like(x: Any, values: Array) -> Any:
    """Returns a Series of these values with the name and type of `x`. Times with a zone are in
    UTC."""
    if library_of(x, 'Series') == 'polars':
        import polars as pl
        made = pl.Series(x.name, values)
        zone = getattr(x.dtype, 'time_zone', None)
        return (made.cast(x.dtype) if zone is None
                else made.dt.replace_time_zone('UTC').dt.convert_time_zone(zone))
    import pandas as pd
    if isinstance(x.dtype, pd.ArrowDtype):
        import pyarrow as pa
        kind = x.dtype.pyarrow_dtype
        array = pa.array(values.view('i8') if getattr(kind, 'tz', None) else values).cast(kind)
        return pd.Series(array, dtype=x.dtype, name=x.name)
    zone = getattr(x.dtype, 'tz', None)
    column = pd.Series(values, name=x.name)
    return (column.astype(x.dtype) if zone is None
            else column.dt.tz_localize('UTC').dt.tz_convert(zone))


def table_like(x: Any, table: Any) -> Any:
    """Returns a table of pyarrow as a DataFrame or Series like `x`, with its column types."""
    is_column = is_series(x)
    frame = x.to_frame() if is_column else x
    if library_of(frame, 'DataFrame') == 'polars':
        import polars as pl
        made = pl.DataFrame(table)
        made.columns = frame.columns  # Polars names a column whose name is ''
        made = made.cast({name: kind for name, kind in frame.schema.items()
                          if made.schema[name] != kind})
        return made.to_series() if is_column else made
    made = table.to_pandas()
    for i, kind in enumerate(frame.dtypes):
        if made.dtypes.iloc[i] != kind:
            made.isetitem(i, made.iloc[:, i].astype(kind))
    made.columns = frame.columns
    return made.iloc[:, 0].rename(x.name) if is_column else made
