"""Releases pages of memory-mapped files while a job reads them, so that they do not count as memory
of the process.

The kernel counts pages of a mapped file in the process that touched them, until it needs the
memory. A job passes through the file once. So whenever the mapped pages have grown by LIMIT, they
are dropped from the process, but not from the page cache. No data are lost: the pages of a shared
mapping belong to the file, even if they were changed.
"""
from __future__ import annotations

import contextlib
import ctypes
import mmap
import resource
import threading
from typing import Any, Iterator, List, Tuple

from ._hints import np, npt

LIMIT = 16 << 20
PERIOD = 0.004  # seconds: 4 GB/s map 16 MiB in that time


def _mapped(array: npt.NDArray[Any]) -> Tuple[int, int]:
    """Returns the first byte and the length of the whole pages of a memmap. Length 0: it is not a
    memmap, or is private, so that only its pages have the changes.

    A copy of a memmap has the same type, but no mapping. It is on the heap, whose pages would be
    lost.
    """
    base: Any = array
    while base is not None and (not isinstance(base, np.memmap)
                                or base._mmap is None):  # type: ignore[attr-defined]
        base = getattr(base, 'base', None)
    if base is None or base.mode == 'c':
        return 0, 0
    page = mmap.PAGESIZE
    begin = -(-array.ctypes.data // page) * page
    return begin, max((array.ctypes.data + array.nbytes) // page * page - begin, 0)


def _file_bytes() -> int:
    """Returns how many bytes of mapped files and shared memory this process has."""
    with open('/proc/self/statm', 'rb') as file:
        return int(file.read().split()[2]) * resource.getpagesize()


@contextlib.contextmanager
def released(*arrays: npt.NDArray[Any]) -> Iterator[None]:
    """Releases pages of these arrays inside the `with` block, if they are large memmaps."""
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
