"""Makes sorted copies of arrays and of Arrow columns."""
from __future__ import annotations

from typing import Any

from ._hints import Unpack
from .any_table import over, sort_table
from .arrays import array_of, is_arrow, sort
from .errors import type_error
from .job import ArrayOptions
from .layout import Keys
from .table import is_true

COLUMN_OPTIONS = {'reverse', 'memory', 'temp', 'progress', 'cancel'}


def sorted(a: Any, *, order: Keys = None, nulls: str = 'last',
           **options: Unpack[ArrayOptions]) -> Any:
    """Returns a sorted copy, which belongs to the caller; `a` does not change.

    a: an array, as for sort: the copy is a new ndarray. Or a column of any type that has an order,
        such as a Series of Polars or pandas, or a pyarrow.Array or ChunkedArray: the copy is a
        pyarrow.ChunkedArray
    order: as for sort; not for a column
    nulls: of a column: 'last' or 'first', also with reverse
    options: as for sort; for a column only reverse, memory, temp, progress and cancel

    Raises a TypeError if `a` is a table, or if an option is not one for columns.
    """
    import numpy as np
    if not is_arrow(a):
        if nulls != 'last':
            raise type_error('nulls: only for Arrow columns; an array has no nulls')
        copy = np.array(array_of(a))
        sort(copy, order=order, **options)
        return copy
    given: Any = {name: value for name, value in options.items() if value is not None}
    others = set(given) - COLUMN_OPTIONS
    if order is not None or others:
        name = 'order' if order is not None else min(others)
        raise type_error(f'{name}: not for an Arrow column, which accepts only reverse, nulls, '
                         f'memory, temp, progress and cancel')
    is_reverse = is_true(given.pop('reverse', None))
    with over(given.get('cancel')):  # also while the column is read
        return sort_table(_alone(a), '-value' if is_reverse else 'value', nulls=nulls,
                          **given).read_all().column(0)


def _alone(a: Any) -> Any:
    """Returns the column as a table with one column, 'value'."""
    import pyarrow as pa
    if hasattr(a, 'columns'):
        raise type_error(f'{type(a).__name__} is a table; use sort_table()')
    if not isinstance(a, (pa.Array, pa.ChunkedArray)):
        from .tables.imported import imported
        table = imported(a).read_all()
        if table.num_columns != 1:
            raise type_error(f'{type(a).__name__} is a table; use sort_table()')
        a = table.column(0)
    return pa.table({'value': a})
