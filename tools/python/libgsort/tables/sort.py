"""Sorts a table that is pushed in batches and read in batches."""
from __future__ import annotations

import ctypes
import os
import tempfile
import time
import warnings
from array import array
from concurrent.futures import Future, ThreadPoolExecutor

import pyarrow as pa

from .. import _c
from ..any_table import TableReport
from ..arrow_c import without_range
from ..cancel import CANCELED, Cancel
from ..errors import NoteWarning, UsageError, error_of, level_of_caller, type_error
from ..layout import key_list
from ..table import row_of, texts_of
from .carried import Carriers
from .merge import merged
from .order import KEY_BYTES, Order, keys_of
from .pool import of_malloc
from .run import Spill, held, in_pieces, taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Optional, Union

    from ..layout import Keys
    from ..table import Path

LEAST = 32 << 20
FAN_IN = 192  # runs that are merged at the same time; fewer if rows are so large that their batches would not fit into memory
ROWS = 1 << 16  # rows that are converted at the same time
GROUP_MOST = 1 << 30  # bytes that are sorted at the same time: more would not fit into columns with offsets of 32 bits


def memory_of(memory: Union[int, str, None]) -> int:
    """Returns the limit for memory in bytes. Default: half of the available memory

    Raises a UsageError for other texts than sizes, and an OutOfMemoryError for less than 32M.
    """
    most = int(_c.library.gs_memory_available())
    if memory is None:
        return max(most // 2, LEAST)
    found = ctypes.c_uint64()
    text = texts_of(row_of('memory'), memory)[0]
    if not _c.library.gs_size_parse(text, most, ctypes.byref(found)):
        raise UsageError(f"memory: '{text.decode()}' is not a size such as '500M', '2G' or '25%'")
    if found.value < LEAST:
        raise error_of(-6, 0, f'memory: {found.value} bytes are too little for a table; give at least {LEAST >> 20}M')
    return min(found.value, max(most, LEAST))


def folder_of(temp: Any) -> str:
    """Returns the folder for temporary files. Only the first one of several is used, because there is one file."""
    if isinstance(temp, (list, tuple)):
        temp = temp[0] if temp else None
    try:
        return tempfile.gettempdir() if temp is None else os.fsdecode(temp)
    except TypeError:
        raise type_error(f'temp: {type(temp).__name__} is not a path') from None


def without_labels(schema: Any) -> Any:
    """Returns the schema without the range of row labels of pandas, which would be wrong for sorted rows."""
    metadata = schema.metadata or {}
    return schema.with_metadata({**metadata, b'pandas': without_range(metadata[b'pandas'])}) if b'pandas' in metadata else schema


def _warn_of_enum(field: Any) -> None:
    """Warns of a column that may be an enum of DuckDB, which pyarrow reads as an unordered dictionary with indexes of 8 or 16 bits."""
    kind = field.type
    if pa.types.is_dictionary(kind) and not kind.ordered and kind.index_type in (pa.uint8(), pa.uint16()):
        warnings.warn(f"column '{field.name}' is sorted by its values, because its dictionary has no order; for an enum of DuckDB, pass the relation "
                      'itself, or cast the column to text', NoteWarning, stacklevel=level_of_caller())


class TableSorter:
    """Accepts batches of a schema, and then returns their rows in order, once."""

    def __init__(self, schema: Any, keys: Keys, nulls: str, memory: int, temp: Optional[Path],
                 cancel: Optional[Cancel] = None) -> None:
        if nulls not in ('first', 'last'):
            raise ValueError(f"nulls: {nulls!r} is neither 'first' nor 'last'")
        if len(schema) == 0:
            raise ValueError('a table without columns has no order')
        self.schema, self.memory = without_labels(schema), memory
        self.temp = folder_of(temp)
        self.keys = keys_of(schema, key_list(keys))
        for key in self.keys:
            _warn_of_enum(schema.field(key.column))
        self.carriers = Carriers(self.schema, memory // 16)
        self.order = Order(self.carriers, self.keys, nulls == 'first', max(memory // 4, 16 << 20), self.temp, cancel)
        self.cancel = cancel
        self.report = TableReport(memory=memory)
        self.row_bytes = len(self.keys) * KEY_BYTES + 16  # per row, in addition to its columns
        self.row_most = memory // 64
        self.fronts_most = min(memory // 16, GROUP_MOST // 2)  # bytes of all runs in a merge, in addition to one batch of each
        self.batch_most = self.fronts_most // FAN_IN
        self.largest = self.batch_most  # bytes of the largest batch of a run
        self.group: List[Any] = []
        self.ender = ThreadPoolExecutor(1)
        self.ending: Optional[Future[None]] = None
        self.weight = self.held_bytes = self.taken_bytes = 0
        self.runs: List[Iterator[Any]] = []
        self.spill: Optional[Spill] = None
        self.started = time.monotonic()

    def _look(self) -> None:
        if self.cancel is not None and self.cancel.is_canceled:
            raise error_of(CANCELED, 0, 'canceled')

    @of_malloc()
    def push(self, batch: Any) -> None:
        self._look()
        if batch.schema != self.schema:
            raise TypeError('a batch has other columns than the first one')
        for begin in range(0, batch.num_rows, ROWS):
            self._take_in(self.carriers.take_in(batch.slice(begin, min(ROWS, batch.num_rows - begin))))  # cuts longer columns

    def _take_in(self, batch: Any) -> None:
        for piece in in_pieces(batch, self.row_most):
            size = piece.nbytes
            if piece.num_rows == 1 and size > self.row_most:
                raise error_of(-6, 0, f'row {self.report.rows} has {size} bytes, but may have at most 1/64 of memory, '
                                      f'{self.row_most} bytes; give at least {64 * size} bytes of memory')
            self.report.rows += piece.num_rows
            self.group.append(piece)
            self.taken_bytes += size
            self.weight += size + piece.num_rows * self.row_bytes
            if self.weight > min(self.memory // 6, GROUP_MOST):
                self._wait()
                self.ending = self.ender.submit(self._end_group, self.group)
                self.group, self.weight = [], 0

    def _wait(self) -> None:
        if self.ending is not None:
            self.ending.result()

    def _sorted_group(self, group: List[Any]) -> Iterator[Any]:
        table = pa.Table.from_batches(group, self.carriers.carried).combine_chunks()
        group.clear()
        return taken(table, self.order.places(table), self.batch_most)

    @of_malloc()
    def _end_group(self, group: List[Any]) -> None:
        """Sorts a group, on another thread than push(). The run stays in memory if there is space, or else it is spilled."""
        run = self._sorted_group(group)
        batches: List[Any] = []
        for batch in run:
            batches.append(batch)
            self.held_bytes += batch.nbytes
            self._measure(batch)
            if self.held_bytes > self.memory // 4:
                self.held_bytes -= sum(batch.nbytes for batch in batches)
                self._spill(chained(batches, run))
                return
        self._add(held(batches))

    def _measure(self, batch: Any) -> None:
        """Updates `largest`. A merge sorts at least one batch of each run, which may need as much memory as the columns of the batches."""
        self.largest = max(self.largest, batch.nbytes, (batch.nbytes + batch.num_rows * self.row_bytes) // 2)

    def _spill(self, run: Iterator[Any]) -> None:
        if self.spill is None:
            self.spill = Spill(self.temp, self.carriers.carried)
        before = self.spill.bytes
        places = array('Q')
        for batch in run:
            self._measure(batch)
            places.extend(self.spill.write(batch))
        self.report.spilled_bytes += self.spill.bytes - before
        self._add(self.spill.read(places))

    def _add(self, run: Iterator[Any]) -> None:
        self.runs.append(run)
        pa.default_memory_pool().release_unused()

    def batches(self) -> Iterator[Any]:
        """Yields sorted batches of the schema that was pushed. The last group is sorted here, and stays in memory.

        Raises a VerifyError if the number of rows is wrong.
        """
        batches = self._batches()
        while True:
            with of_malloc():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _batches(self) -> Iterator[Any]:
        self._wait()
        self.ender.shutdown()
        if self.group:
            self.runs.append(self._sorted_group(self.group))
        self.report.runs = len(self.runs)
        rows = 0
        for batch in self._merged(self._few_runs(), self.memory // 64):
            self._look()
            rows += batch.num_rows
            yield self.carriers.give_out(batch)
        if rows != self.report.rows:
            raise error_of(-9, 0, f'{self.report.rows} rows were sorted, but {rows} were written')
        self.report.seconds = time.monotonic() - self.started

    def _merged(self, runs: List[Iterator[Any]], batch_bytes: int) -> Iterator[Any]:
        return runs[0] if len(runs) == 1 else merged(runs, self.order, self.fronts_most // max(len(runs), 1), self.row_bytes, batch_bytes)

    def _few_runs(self) -> List[Iterator[Any]]:
        """Merges runs until there are so few that a batch of each fits into memory. Returns them."""
        fan_in = max(2, min(FAN_IN, self.fronts_most // self.largest))
        while len(self.runs) > fan_in:
            runs, self.runs, self.spill = self.runs, [], None
            self.report.passes += 1
            for begin in range(0, len(runs), fan_in):
                self._spill(self._merged(runs[begin:begin + fan_in], self.batch_most))
        return self.runs


def chained(batches: List[Any], run: Iterator[Any]) -> Iterator[Any]:
    yield from held(batches)
    yield from run
