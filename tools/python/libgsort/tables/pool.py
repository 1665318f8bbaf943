"""Makes Arrow allocate memory by malloc, which returns freed memory to the system. mimalloc and
jemalloc keep up to 30 MiB more."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Iterator

import pyarrow as pa

_lock = threading.Lock()
_users = 0
_before: Any = None


@contextmanager
def of_malloc() -> Iterator[None]:
    """Returns a context in which Arrow uses malloc. pyarrow has one pool for all threads; the first
    context sets it, the last one resets it."""
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
