"""Pages of memory-mapped files are given back while a job goes through them, so that they do not count in the process.

The kernel counts pages of a mapped file in the process that touched them, until it wants them back. A job goes through the file
once; what it has been through is dropped from the process, not from the page cache, whenever it has grown by LIMIT. Nothing is
lost by that: a shared mapping's pages, changed ones too, are the file's.
"""
from __future__ import annotations

import contextlib
import ctypes
import mmap
import resource
import threading
from typing import Any, Iterator, List, Tuple

from ._hints import npt

LIMIT = 16 << 20
PERIOD = 0.004  # seconds: 4 GB/s bring 16 MiB


def _mapped(array: npt.NDArray[Any]) -> Tuple[int, int]:
    """First byte and length of the whole pages of a memmap; length 0: it is none, or private: changes are in its pages alone.

    A copy of a memmap is one, too, by its type, but has no mapping: it lies on the heap, whose pages would be lost.
    """
    import numpy as np
    base: Any = array
    while base is not None and not (isinstance(base, np.memmap) and base._mmap is not None):  # type: ignore[attr-defined]
        base = getattr(base, 'base', None)
    if base is None or base.mode == 'c':
        return 0, 0
    page = mmap.PAGESIZE
    begin = -(-array.ctypes.data // page) * page
    return begin, max((array.ctypes.data + array.nbytes) // page * page - begin, 0)


def _file_bytes() -> int:
    """Of mapped files and shared memory, now in this process."""
    with open('/proc/self/statm', 'rb') as file:
        return int(file.read().split()[2]) * resource.getpagesize()


@contextlib.contextmanager
def released(*arrays: npt.NDArray[Any]) -> Iterator[None]:
    ranges: List[Tuple[int, int]] = [at for at in map(_mapped, arrays) if at[1] > LIMIT]
    if not ranges:
        yield
        return
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    ended = threading.Event()

    def drop() -> None:
        for begin, length in ranges:
            madvise(begin, length, mmap.MADV_DONTNEED)

    def watch() -> None:
        first = _file_bytes()
        while not ended.wait(PERIOD):
            if _file_bytes() > first + LIMIT:
                drop()

    drop()
    watcher = threading.Thread(target=watch, name='libgsort-pages', daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
