"""Sorts a table that is pushed in batches and read in batches.

Records of the rows (rows.py) are pushed to a Sorter of the library, which spills them if necessary.
The rest of each row is stored (store.py), in groups that are sorted by the same keys. The sorted
records are read in windows of complete rows.

Long texts have only their first bytes in the records. Rows that are equal so far are in one window,
which is sorted by the complete texts. If they do not fit into a window, a second RowSorter sorts
them by the rest of the text.
"""
from __future__ import annotations

import logging
import os
import tempfile
import threading
import time
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
import pyarrow as pa

from .. import _c
from ..arrays import argsort
from ..arrow_c import without_range
from ..cancel import Cancel
from ..errors import (CanceledError, NoteWarning, OutOfMemoryError, UsageError, VerifyError,
                      level_of_caller, type_error)
from ..layout import key_list
from ..progress import Shown
from ..report import TableReport
from ..sorter import Sorter
from ..keywords import row_of, texts_of
from .convert import Converters
from .order import Key, Order, keys_of
from .rows import Rows
from .store import Store, in_pieces, rows_at

if TYPE_CHECKING:
    from ..keywords import Descending, Keys, Path
    from ..progress import Progressing
    from .rows import Records

log: logging.Logger = logging.getLogger('libgsort')

LEAST = 32 << 20
SORTER_LEAST = 16 << 20  # memory that a Sorter needs
ROWS = 1 << 16  # rows that are converted at the same time
# bytes that are sorted at the same time: more would not fit into columns with offsets of 32 bits
GROUP_MOST = 1 << 30


_lock = threading.Lock()
_users = 0
_before: Any = None


@contextmanager
def of_malloc() -> Iterator[None]:
    """Returns a context in which Arrow uses malloc, which returns freed memory to the system.
    mimalloc and jemalloc keep up to 30 MiB more.

    pyarrow has one pool for all threads: the first context sets it, the last one resets it."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = pa.default_memory_pool()
            pa.set_memory_pool(pa.system_memory_pool())
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                pa.set_memory_pool(_before)


def memory_of(memory: Union[int, str, None]) -> int:
    """Returns the limit for memory in bytes. Default: half of the available memory

    Raises a UsageError for other texts than sizes, and an OutOfMemoryError for less than 32M.
    """
    most = int(_c.library.gs_memory_available())
    if memory is None:
        return max(most // 2, LEAST)
    text = texts_of(row_of('memory'), memory)[0]
    found = _c.parsed_size(text)
    if found is None:
        raise UsageError(f"memory: '{text.decode()}' is not a size such as '500M', '2G' or '25%'")
    if found < LEAST:
        raise OutOfMemoryError(f'memory: {found} bytes are too little for a table; give at least '
                               f'{LEAST >> 20}M')
    return min(found, max(most, LEAST))


def folder_of(temp: Any) -> str:
    """Returns the folder for temporary files. Only the first one of several is used, because there
    is one file."""
    if isinstance(temp, (list, tuple)):
        temp = temp[0] if temp else None
    try:
        return tempfile.gettempdir() if temp is None else os.fsdecode(temp)
    except TypeError:
        raise type_error(f'temp: {type(temp).__name__} is not a path') from None


def without_labels(schema: pa.Schema) -> pa.Schema:
    """Returns the schema without the range of row labels of pandas, which would be wrong for sorted
    rows."""
    metadata = schema.metadata or {}
    return (schema.with_metadata({**metadata, b'pandas': without_range(metadata[b'pandas'])})
            if b'pandas' in metadata else schema)


def _warn_of_enum(field: pa.Field) -> None:
    """Warns of a column that may be an enum of DuckDB, which pyarrow reads as an unordered
    dictionary with indexes of 8 or 16 bits."""
    kind = field.type
    if (pa.types.is_dictionary(kind) and not kind.ordered
        and kind.index_type in (pa.uint8(), pa.uint16())):
        warnings.warn(f"column '{field.name}' is sorted by its values, because its dictionary has "
                      f"no order; for an enum of DuckDB, pass the relation "
                      'itself, or cast the column to text', NoteWarning,
                      stacklevel=level_of_caller())


class RowSorter:
    """Sorts converted batches. options: of the Sorter. row_most: bytes of a row"""

    sorter: Sorter
    store: Store

    def __init__(self, order: Order, memory: int, temp: str, options: Mapping[str, Any],
                 row_most: int) -> None:
        self.order, self.memory, self.temp = order, memory, temp
        self.options, self.row_most = options, row_most
        self.row_count = self.runs = self.passes = self.spilled_bytes = 0
        self.first: List[pa.RecordBatch] = []  # batches that decide the layout of the records
        self.first_bytes = 0
        self.rows: Optional[Rows] = None
        # stored parts of rows, and their records
        self.group: List[Tuple[pa.RecordBatch, Records]] = []
        self.group_bytes = self.group_count = 0
        self.ender: Optional[ThreadPoolExecutor] = None
        self.ending: Optional[Future[None]] = None

    def push(self, batch: pa.RecordBatch) -> None:
        for piece in in_pieces(batch, self.memory // 16):
            if self.rows is not None:
                self._push(self.rows, piece)
                continue
            self.first.append(piece)
            self.first_bytes += piece.nbytes
            if self.first_bytes > self.memory // 16:
                self._open()

    def _open(self) -> None:
        table = pa.Table.from_batches(self.first)
        rows = self.rows = Rows(self.order, table.combine_chunks().to_batches()[0])
        share = 3 if rows.stored else 5
        self.sorter = Sorter(rows.dtype, by=rows.keys,
                             memory=max(self.memory * share // 8, SORTER_LEAST), temp=self.temp,
                             **self.options)
        self.store = Store(rows.rest_schema, self.temp, self.memory // 8, self.memory // 16)
        self.first.clear()
        for batch in table.to_batches():
            self._push(rows, batch)

    def _push(self, rows: Rows, batch: pa.RecordBatch) -> None:
        step = max(1, min(ROWS, self.memory // 32 // rows.dtype.itemsize))
        for begin in range(0, batch.num_rows, step):
            part = batch.slice(begin, step)
            records, rest = rows.pack(part, self.group_count)
            if rest is not None:
                self._refuse_large(records['bytes'])
                self._add_rest(rest, records[records['run'] > 0])
            self.sorter.push(records)
            self.row_count += part.num_rows

    def _refuse_large(self, sizes: Any) -> None:
        largest = int(sizes.argmax())
        size = int(sizes[largest])
        if size > self.row_most:
            raise OutOfMemoryError(
                f'row {self.row_count + largest} has {size} bytes, but may have at most 1/64 of '
                f'memory, {self.row_most} bytes; give at least {64 * size} bytes of memory')

    def _add_rest(self, rest: pa.RecordBatch, records: Records) -> None:
        self.group.append((rest, records))
        self.group_bytes += int(records['bytes'].sum(dtype=np.int64)) + records.nbytes
        if self.group_bytes > min(self.memory // 8, GROUP_MOST):
            self._end_group()

    def _end_group(self) -> None:
        self._wait()
        if self.ender is None:
            self.ender = ThreadPoolExecutor(1)
        self.ending = self.ender.submit(self._store, self.group)
        self.group, self.group_bytes, self.group_count = [], 0, self.group_count + 1

    def _wait(self) -> None:
        if self.ending is not None:
            self.ending.result()

    @of_malloc()
    def _store(self, group: List[Tuple[pa.RecordBatch, Records]]) -> None:
        """Sorts and stores a group, on another thread than push()."""
        assert self.rows is not None
        records = np.concatenate([records for _, records in group])
        table = pa.Table.from_batches([rest for rest, _ in group]).combine_chunks()
        group.clear()
        self.store.add(table, argsort(records, by=self.rows.keys, **self.order.options))
        pa.default_memory_pool().release_unused()

    def finish(self) -> None:
        """Pushes what is left of the batches."""
        if self.first:
            self._open()
        if self.group:
            self._end_group()
        self._wait()
        if self.ender is not None:
            self.ender.shutdown()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields sorted batches, once."""
        self.finish()
        rows = self.rows
        if rows is None:  # nothing was pushed
            return
        tied: Optional[RowSorter] = None
        for records, is_tied, is_open in self._windows(rows):
            batch = self._batch(rows, records)
            if tied is None and not is_open:
                yield rows_at(batch, self.order.places(batch)) if is_tied else batch
                continue
            if tied is None:
                tied = self._tied(rows, records)
            tied.push(batch)
            if not is_open:
                yield from tied.batches()
                self.spilled_bytes += tied.spilled_bytes
                tied = None
        report = self.sorter.report()
        self.runs, self.passes = report.details['run_count'], max(report.details['merge_passes'], 1)
        self.spilled_bytes += report.spilled_bytes + self.store.spilled_bytes

    def _batch(self, rows: Rows, records: Records) -> pa.RecordBatch:
        rest = None
        if rows.has_rest:
            runs = records['run'][records['run'] > 0]
            rest = self.store.rows(runs - 1) if len(runs) > 0 else None
        return rows.unpack(records, rest)

    def _tied(self, rows: Rows, records: Records) -> RowSorter:
        """Returns a sorter for rows with equal first bytes of a text. It sorts them by the rest of
        the text and the other keys."""
        tied = rows.tied_key(records[-1:])
        keys = [Key(key.column, key.name, key.is_descending, key.skip + rows.widths[f'k{i}']
                    if i == tied else key.skip)
                for i, key in enumerate(self.order.keys)]
        return RowSorter(self.order.by(keys), self.memory // 4, self.temp, self.options,
                         self.row_most)

    def _windows(self, rows: Rows) -> Iterator[Tuple[Records, bool, bool]]:
        """Yields sorted records, whether they need a comparison of complete texts, and whether such
        a comparison needs the next records, too."""
        budget = min(self.memory // 64, 256 << 20)
        is_open = False
        left: List[Records] = []
        while True:
            block = self.sorter.pull()
            if block is not None:
                left.append(block)
                if sum(records.nbytes for records in left) < budget:
                    continue
            if not left:
                return
            records = np.concatenate(left)
            ties = rows.ties(records)
            is_tied = np.zeros(len(records), bool)
            if ties is not None:
                is_tied[:-1] = ties
            ends = np.arange(1, len(records) + 1) * records.itemsize
            if rows.has_rest:
                ends += np.cumsum(records['bytes'], dtype=np.int64)
            # whether the last one is tied to the next one is not known yet
            known = len(records) - (block is not None)
            begin = 0
            while begin < known:
                before = ends[begin - 1] if begin > 0 else 0
                end = min(max(int(np.searchsorted(ends, before + budget, 'right')), begin + 1),
                          known)
                free = np.flatnonzero(~is_tied[begin:end])
                if len(free) > 0:
                    end = begin + 1 + int(free[0 if is_open else -1])
                yield records[begin:end], bool(is_tied[begin:end].any()), len(free) == 0
                begin, is_open = end, len(free) == 0
            if block is None:
                return
            left = [records[begin:]]


class TableSorter:
    """Accepts batches of a schema, and then returns their rows in order, once."""

    def __init__(self, schema: pa.Schema, keys: Keys, nulls: str, memory: int, temp: Optional[Path],
                 cancel: Optional[Cancel] = None, threads: Optional[int] = None,
                 descending: Descending = False, progress: Progressing = False) -> None:
        if nulls not in ('first', 'last'):
            raise ValueError(f"nulls: {nulls!r} is neither 'first' nor 'last'")
        if len(schema) == 0:
            raise ValueError('a table without columns has no order')
        self.schema, self.memory, self.cancel = without_labels(schema), memory, cancel
        self.temp = folder_of(temp)
        self.keys = keys_of(schema, key_list(keys), descending)
        for key in self.keys:
            _warn_of_enum(schema.field(key.column))
        self.converters = Converters(self.schema, memory // 16)
        options = {'cancel': cancel, 'threads': threads}
        self.order = Order(self.converters, self.keys, nulls == 'first',
                           {**options, 'memory': max(memory // 8, SORTER_LEAST), 'temp': self.temp})
        self.sorter = RowSorter(self.order, memory, self.temp, options,
                                min(memory // 64, GROUP_MOST))
        self.report = TableReport(memory=memory)
        self.taken_bytes = 0
        self.shown = Shown(progress)
        self.started = time.monotonic()

    def _look(self) -> None:
        if self.cancel is not None and self.cancel.is_canceled:
            raise CanceledError('canceled')

    @of_malloc()
    def push(self, batch: pa.RecordBatch) -> None:
        self._look()
        if batch.schema != self.schema:
            raise TypeError('a batch has other columns than the first one')
        for begin in range(0, batch.num_rows, ROWS):
            # cuts longer columns
            part = self.converters.convert(batch.slice(begin, min(ROWS, batch.num_rows - begin)))
            self.report.rows += part.num_rows
            self.taken_bytes += part.nbytes
            self.sorter.push(part)
        self.shown.at('read', self.taken_bytes, 0)

    @of_malloc()
    def finish(self) -> None:
        """Says that everything was pushed. Raises what is wrong with it."""
        self.sorter.finish()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields sorted batches of the schema that was pushed.

        Raises a VerifyError if the number of rows is wrong.
        """
        batches, done = self._batches(), 0
        try:
            while True:
                with of_malloc():
                    batch = next(batches, None)
                if batch is None:
                    break
                done += batch.nbytes
                self.shown.at('write', done, max(done, self.taken_bytes))
                yield batch
            if done < self.taken_bytes:  # sorted batches may need fewer bytes than the input
                self.shown.at('write', self.taken_bytes, self.taken_bytes)
        finally:
            self.shown.end()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in self.sorter.batches():
            self._look()
            rows += batch.num_rows
            yield self.converters.restore(batch)
        if rows != self.report.rows:
            raise VerifyError(f'{self.report.rows} rows were sorted, but {rows} were written')
        report, sorter = self.report, self.sorter
        report.runs, report.passes = sorter.runs, sorter.passes
        report.spilled_bytes = sorter.spilled_bytes
        report.seconds = time.monotonic() - self.started
        log.info('table: %d rows in %.3f s, %d bytes spilled', report.rows, report.seconds,
                 report.spilled_bytes)


class _Given:
    """Iterates over the sorted batches for a RecordBatchReader.

    After a failure each call fails. A generator would just end, as if there were no more rows.
    """

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self.batches, self.has_failed = batches, False

    def __iter__(self) -> _Given:
        return self

    def __next__(self) -> pa.RecordBatch:
        if self.has_failed:
            raise UsageError('the sort failed before, so there are no more rows; sort again')
        self.has_failed = True  # also if a signal handler raises an exception meanwhile
        batch = next(self.batches, None)
        self.has_failed = False
        if batch is None:
            raise StopIteration
        return batch


def sorted_reader(reader: pa.RecordBatchReader, keys: Keys, descending: Descending, nulls: str,
                  memory: Union[int, str, None], temp: Optional[Path], progress: Progressing,
                  cancel: Optional[Cancel]) -> pa.RecordBatchReader:
    """Returns a pyarrow.RecordBatchReader of the sorted rows of another one, which was read."""
    sorter = TableSorter(reader.schema, keys, nulls, memory_of(memory), temp, cancel,
                         descending=descending, progress=progress)
    try:
        for batch in reader:
            sorter.push(batch)
        sorter.finish()
    except BaseException:
        sorter.shown.end()
        raise
    return pa.RecordBatchReader.from_batches(sorter.schema, _Given(sorter.batches()))
