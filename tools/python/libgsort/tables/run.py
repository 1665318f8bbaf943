"""Keeps runs: sorted batches in memory or in an unnamed file. The checksums of the batches in a file stay in memory."""
from __future__ import annotations

import errno
import os
import tempfile
import weakref
import zlib
from array import array
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from ..errors import error_of
from .pool import of_malloc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, List, Tuple


def _fail(error: OSError, directory: str, what: str) -> Exception:
    status = -5 if error.errno in (errno.ENOSPC, errno.EDQUOT) else -4
    return error_of(status, error.errno or 0, f"'{directory}': cannot {what} a temporary file: {error.strerror}")


def _open(directory: str) -> int:
    try:
        return os.open(directory, os.O_TMPFILE | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            raise
    fd, name = tempfile.mkstemp(prefix='.gsort-', dir=directory)
    os.unlink(name)
    return fd


class Spill:
    """An unnamed file of batches. Other processes cannot open it, and it is removed when this process ends."""

    def __init__(self, directory: str, schema: Any) -> None:
        self.directory, self.schema, self.bytes = directory, schema, 0
        try:
            self.fd = _open(directory)
        except OSError as error:
            raise _fail(error, directory, 'open') from None
        self.close = weakref.finalize(self, os.close, self.fd)

    def write(self, batch: Any) -> Tuple[int, int, int]:
        """Appends a batch. Returns its offset, bytes and checksum, for `read`."""
        data = memoryview(batch.serialize())
        begin, done = self.bytes, 0
        try:
            while done < len(data):
                done += os.pwrite(self.fd, data[done:], begin + done)
        except OSError as error:
            raise _fail(error, self.directory, 'write') from None
        self.bytes += len(data)
        return begin, len(data), zlib.crc32(data)

    def read(self, places: array[int]) -> Iterator[Any]:
        """Yields the batches at these places: offset, bytes and checksum of each. They are in an array, because a large file has many.

        Raises a CorruptError if a batch is damaged, and a FileError if it cannot be read.
        """
        for i in range(0, len(places), 3):
            begin, length, checksum = places[i:i + 3]
            data = bytearray(length)
            done = 0
            try:
                while done < len(data):
                    got = os.preadv(self.fd, [memoryview(data)[done:]], begin + done)
                    if got == 0:
                        break
                    done += got
            except OSError as error:
                raise _fail(error, self.directory, 'read') from None
            if done < len(data) or zlib.crc32(data) != checksum:
                raise error_of(-8, 0, f"'{self.directory}': a temporary file is damaged at byte {begin}")
            yield pa.ipc.read_record_batch(pa.py_buffer(data), self.schema)


def held(batches: List[Any]) -> Iterator[Any]:
    """Yields the batches of a run in memory. Each one is freed after its use."""
    batches.reverse()
    while batches:
        yield batches.pop()


def in_pieces(batch: Any, most_bytes: int) -> Iterator[Any]:
    """Yields slices of a batch. Each has at most `most_bytes` bytes or a single row."""
    if batch.num_rows <= 1 or batch.nbytes <= most_bytes:
        if batch.num_rows > 0:
            yield batch
        return
    half = batch.num_rows // 2
    yield from in_pieces(batch.slice(0, half), most_bytes)
    yield from in_pieces(batch.slice(half), most_bytes)


def taken(table: Any, places: Any, most_bytes: int) -> Iterator[Any]:
    """Yields the rows of a table in the order of `places`, in batches. Each has at most `most_bytes` bytes or a single row."""
    if len(places) == 0:
        return
    step = max(1, min(len(places), most_bytes * 7 // 8 * table.num_rows // max(table.nbytes, 1)))  # 7/8, because rows differ in size

    @of_malloc()
    def some(at: int) -> Any:
        return table.take(pa.array(places[at:at + step])).combine_chunks().to_batches()

    for batches in ahead(some, range(0, len(places), step), 2):
        for batch in batches:
            yield from in_pieces(batch, most_bytes)


def ahead(function: Callable[[Any], Any], items: Iterable[Any], threads: int) -> Iterator[Any]:
    """Yields function(item) for each item, in order. While the caller uses one result, up to `threads` further ones are computed."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: Any = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            del item
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
