"""Sorts tables that are pushed to a Sorter, if a column has nulls or no fixed width. Sorts them
like sort_table, and returns a stream."""
from __future__ import annotations

from array import array

import pyarrow as pa

from ..arrow_c import ArrowArray
from ..arrow_table import Batches
from ..cancel import Cancel, over
from ..errors import UsageError, type_error
from ..keywords import is_true
from .sources import batch_of, schema_of
from .store import Spill
from .sort import TableSorter, folder_of, memory_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ContextManager, Iterator, Mapping, Optional, Tuple

    from ..keywords import Keys, Path
    from ..sorter import Sorter

# of a Sorter; allowed for such tables, like key and nulls
OPTIONS = {'memory', 'temp', 'progress', 'cancel', 'reverse', 'threads'}


class TableStream:

    def __init__(self, batches: Batches, key: Keys, nulls: str, options: Mapping[str, Any]) -> None:
        self.schema, self.is_table = schema_of(batches)
        self.cancel, self.asked = Cancel(), options.get('cancel')
        self.sorter = TableSorter(self.schema, key, nulls, memory_of(options.get('memory')),
                                  options.get('temp'), self.cancel,
                                  options.get('threads'), is_true(options.get('reverse')),
                                  options.get('progress') or False)
        self.schema = self.sorter.schema
        self.order: Optional[Iterator[pa.RecordBatch]] = None

    def _at_work(self) -> ContextManager[None]:
        return over(self.asked, self.cancel.cancel)

    def push(self, batches: Batches, batch: ArrowArray) -> None:
        """Pushes a batch of `batches`, whose memory moves to pyarrow."""
        schema, is_table = schema_of(batches)
        if (schema.names != self.schema.names or schema.types != self.schema.types
            or is_table != self.is_table):
            raise type_error('the table has other columns than the first one')
        self.push_rows(batch_of(batches, batch))

    def push_rows(self, batch: pa.RecordBatch) -> None:
        if self.order is not None:
            raise UsageError('the sorter is being read already')
        for field, column in zip(self.schema, batch.columns):
            if column.null_count > 0 and not field.nullable:
                raise ValueError(f"column '{field.name}' has nulls, but is 'not null' in the "
                                 f"schema of the first table; first push a table "
                                 'where it may have nulls, such as one without rows')
        with self._at_work():
            self.sorter.push(pa.RecordBatch.from_arrays(batch.columns, schema=self.schema))

    def next(self) -> Optional[pa.RecordBatch]:
        if self.order is None:
            self.order = self.sorter.batches()
        with self._at_work():
            return next(self.order, None)

    def close(self) -> None:
        self.sorter.shown.end()


class Source:
    """Fills an exported stream with the sorted rows, as arrow_c.stream_capsule needs it."""

    error: Any = None

    def __init__(self, sorter: Sorter, stream: TableStream) -> None:
        self.sorter, self.stream = sorter, stream

    def fill_schema(self, address: int) -> None:
        schema = self.stream.schema
        (schema if self.stream.is_table else schema.field(0))._export_to_c(address)

    def fill_next(self, address: int) -> None:
        self.sorter.take_order(self)
        batch = self.stream.next()
        if batch is None:
            ArrowArray.from_address(address).release = None
        else:
            (batch if self.stream.is_table else batch.column(0))._export_to_c(address)


def kept(sorter: Sorter, temp: Optional[Path]) -> Tuple[Spill, array[int]]:
    """Writes the batches of a sorter to a file. Returns the file and the places of the batches in
    it."""
    with Batches(sorter) as batches:
        spill, places = Spill(folder_of(temp), schema_of(batches)[0]), array('Q')
        for batch in batches:
            places.extend(spill.write(batch_of(batches, batch)))
        return spill, places
