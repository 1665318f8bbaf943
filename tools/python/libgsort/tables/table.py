"""sort_table: sorts tables of any library that exports Arrow data, by any keys."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

import pyarrow as pa

from ..errors import UsageError
from ..progress import Progress, progress_shower
from .imported import reader_of
from .sort import TableSorter, memory_of

if TYPE_CHECKING:
    from ..cancel import Cancel
    from ..layout import Keys
    from ..table import Path

    Progressing = Union[bool, Callable[[Progress], object]]


class Shown:
    """Shows the progress of a table: True draws a line; a function is called with each Progress.
    Bytes are those of Arrow or of a file."""

    def __init__(self, progress: Progressing) -> None:
        self.show: Optional[Callable[[Progress], object]] = None
        self.end: Callable[[], object] = lambda: None
        if callable(progress):
            self.show = progress
        elif progress:
            self.show, self.end = progress_shower()
        self.phase, self.begun, self.phase_begun, self.last = '', time.monotonic(), 0.0, 0.0

    def at(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self.show is None or phase == self.phase and now - self.last < 0.1 and done < total:
            return
        if phase != self.phase:
            self.phase, self.phase_begun = phase, now
        self.last = now
        self.show(Progress(phase, done, total, now - self.begun, now - self.phase_begun))


def sort_table(x: Any, keys: Keys, memory: Union[int, str, None], nulls: str, temp: Optional[Path],
               progress: Progressing,
               cancel: Optional[Cancel]) -> Any:
    reader = reader_of(x)
    sorter = TableSorter(reader.schema, keys, nulls, memory_of(memory), temp, cancel)
    shown = Shown(progress)
    done = 0
    try:
        for batch in reader:
            sorter.push(batch)
            done += batch.nbytes
            shown.at('read', done, 0)
        sorter.finish()
    except BaseException:
        shown.end()
        raise
    return pa.RecordBatchReader.from_batches(sorter.schema, _Given(_given(sorter, shown, done)))


class _Given:
    """Iterates over the sorted batches for a RecordBatchReader.

    After a failure each call fails. A generator would just end, as if there were no more rows.
    """

    def __init__(self, batches: Iterator[Any]) -> None:
        self.batches, self.has_failed = batches, False

    def __iter__(self) -> _Given:
        return self

    def __next__(self) -> Any:
        if self.has_failed:
            raise UsageError('the sort failed before, so there are no more rows; sort again')
        self.has_failed = True  # also if a signal handler raises an exception meanwhile
        batch = next(self.batches, None)
        self.has_failed = False
        if batch is None:
            raise StopIteration
        return batch


def _given(sorter: TableSorter, shown: Shown, total: int) -> Iterator[Any]:
    done = 0
    try:
        for batch in sorter.batches():
            done += batch.nbytes
            shown.at('write', done, max(total, done))
            yield batch
        if done < total:  # sorted batches may need fewer bytes than the input
            shown.at('write', total, total)
    finally:
        shown.end()
