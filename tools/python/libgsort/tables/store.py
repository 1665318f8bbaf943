"""Stores the parts of rows that do not fit into records, in runs that are sorted like the records.
Runs are in memory or in an unnamed file.

Each sorted record names the run that has the rest of its row, so each run is read once, from front
to back. Nothing is compared:

    records  a:0 b:2 c:1 c:2 d:0 ..     key : run
    run 0    A D ..    run 1  C ..    run 2  B C ..     -> A B C C D
"""
from __future__ import annotations

import errno
import os
import tempfile
import weakref
import zlib
from array import array

import numpy as np
import pyarrow as pa

from ..errors import CorruptError, VerifyError, error_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Optional, Tuple

    import numpy.typing as npt


def os_error(error: OSError, path: str, what: str, otherwise: int = -4) -> Exception:
    """Returns an Error for an OSError. otherwise: its status, if it is not about full disks"""
    status = -5 if error.errno in (errno.ENOSPC, errno.EDQUOT) else otherwise
    reason = os.strerror(error.errno) if error.errno else error
    return error_of(status, error.errno or 0, f"'{path}': cannot {what}: {reason}")


def open_unnamed(directory: str) -> Tuple[int, Optional[str]]:
    """Returns the descriptor of a new file. Returns also its name if the file system has no unnamed
    files, else None."""
    try:
        return os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), None
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            raise
    return tempfile.mkstemp(prefix='.gsort-', dir=directory)


class Spill:
    """An unnamed file of batches. Other processes cannot open it, and it is removed when this
    process ends."""

    def __init__(self, directory: str, schema: pa.Schema) -> None:
        self.directory, self.schema, self.bytes = directory, schema, 0
        try:
            self.fd, name = open_unnamed(directory)
            if name is not None:
                os.unlink(name)
        except OSError as error:
            raise os_error(error, directory, 'open a temporary file') from None
        self.close = weakref.finalize(self, os.close, self.fd)

    def write(self, batch: pa.RecordBatch) -> Tuple[int, int, int]:
        """Appends a batch. Returns its offset, bytes and checksum, for `read`."""
        data = memoryview(batch.serialize())
        begin, done = self.bytes, 0
        try:
            while done < len(data):
                done += os.pwrite(self.fd, data[done:], begin + done)
        except OSError as error:
            raise os_error(error, self.directory, 'write a temporary file') from None
        self.bytes += len(data)
        return begin, len(data), zlib.crc32(data)

    def read(self, places: array[int]) -> Iterator[pa.RecordBatch]:
        """Yields the batches at these places: offset, bytes and checksum of each. They are in an
        array, because a large file has many.

        Raises a CorruptError if a batch is damaged, and a FileError if it cannot be read.
        """
        for i in range(0, len(places), 3):
            begin, length, checksum = places[i:i + 3]
            try:
                data = os.pread(self.fd, length, begin)
            except OSError as error:
                raise os_error(error, self.directory, 'read a temporary file') from None
            if len(data) < length or zlib.crc32(data) != checksum:
                raise CorruptError(f"'{self.directory}': a temporary file is damaged at byte "
                                   f"{begin}")
            yield pa.ipc.read_record_batch(pa.py_buffer(data), self.schema)


class _Run:
    """Reads the rows of a run in order."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self.batches, self.batch = batches, None

    def next(self, rows: int) -> Iterator[pa.RecordBatch]:
        while rows > 0:
            if self.batch is None or self.batch.num_rows == 0:
                self.batch = next(self.batches, None)
                if self.batch is None:
                    raise VerifyError(f'{rows} rows of a temporary file are missing')
            found = self.batch.slice(0, rows)
            self.batch = self.batch.slice(found.num_rows)
            rows -= found.num_rows
            yield found


class Store:
    """held_most: bytes of runs in memory. front_bytes: bytes of the runs in the file that are in
    memory while they are read"""

    def __init__(self, schema: pa.Schema, temp: str, held_most: int, front_bytes: int) -> None:
        self.schema, self.temp = schema, temp
        self.held_most, self.front_bytes = held_most, front_bytes
        self.spill: Optional[Spill] = None
        self.runs: List[_Run] = []

    @property
    def spilled_bytes(self) -> int:
        return self.spill.bytes if self.spill is not None else 0

    def add(self, table: pa.Table, places: npt.NDArray[Any]) -> None:
        """Adds a run: the rows of a table in the order of `places`."""
        if table.nbytes <= self.held_most:
            self.held_most -= table.nbytes
            self.runs.append(_Run(iter(rows_at(table, places).combine_chunks().to_batches())))
            return
        if self.spill is None:
            self.spill = Spill(self.temp, self.schema)
        # Later runs have smaller batches, so that a batch of each fits. A row that is larger is
        # used as soon as it is read.
        most = self.front_bytes // max(192, 2 * len(self.runs))
        # 7/8, because rows differ in size
        step = max(1, most * 7 // 8 * table.num_rows // max(table.nbytes, 1))
        at = array('Q')
        block = max(step, (1 << 20) * table.num_rows // max(table.nbytes, 1) // step * step)
        for begin in range(0, len(places), block):
            for batch in rows_at(table, places[begin:begin + block]).combine_chunks().to_batches():
                for first in range(0, batch.num_rows, step):
                    for piece in in_pieces(batch.slice(first, step), most):
                        at.extend(self.spill.write(piece))
        self.runs.append(_Run(self.spill.read(at)))

    def rows(self, runs: npt.NDArray[Any]) -> pa.RecordBatch:
        """Returns the next row of each of these runs, in their order, as a batch. Each run is named
        once per row."""
        counts = np.bincount(runs)
        batches = [batch for run in np.nonzero(counts)[0]
                   for batch in self.runs[run].next(int(counts[run]))]
        places = np.empty(len(runs), np.int64)
        places[np.argsort(runs, kind='stable')] = np.arange(len(runs))
        table = pa.Table.from_batches(batches, self.schema).combine_chunks()
        return rows_at(table, places).combine_chunks().to_batches()[0]


def rows_at(rows: pa.Table, places: npt.NDArray[Any]) -> pa.Table:
    """Returns the rows at these places of a table or batch, as a slice if they are consecutive.
    Rows with equal keys are, and may be long."""
    if len(places) > 0 and (np.diff(places) == 1).all():
        return rows.slice(int(places[0]), len(places))
    return rows.take(pa.array(places))


def in_pieces(batch: pa.RecordBatch, most_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yields slices of a batch. Each has at most `most_bytes` bytes or a single row."""
    if batch.num_rows <= 1 or batch.nbytes <= most_bytes:
        if batch.num_rows > 0:
            yield batch
        return
    half = batch.num_rows // 2
    yield from in_pieces(batch.slice(0, half), most_bytes)
    yield from in_pieces(batch.slice(half), most_bytes)
