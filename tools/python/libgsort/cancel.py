"""Cancel: ends calls from another thread or from a coroutine, for example after a timeout."""
from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Iterator, List, Optional

from .errors import CanceledError, type_error


class Cancel:
    """Ends calls that have it as `cancel=`, both running and later ones. They raise a
    CanceledError.

        with gs.Cancel() as cancel:
            await asyncio.wait_for(asyncio.to_thread(gs.sort, a, cancel=cancel), 60)

    The end of the `with` block cancels calls that are still running and waits for them. An output
    file stays as it was. For an array the error says what it holds: its elements as they were, its
    elements in another order, or only some of them. The last happens while a sorted copy is written
    over the array. A call on less than 1 MiB may end normally. In a child of fork, a Cancel does
    not end calls of the parent.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._at_work: List[Callable[[], object]] = []  # these functions end the running calls
        self._is_canceled = False

    def cancel(self) -> None:
        """Cancels all calls and returns at once. Any thread may call it, also repeatedly; it cannot
        be undone."""
        with self._changed:
            self._is_canceled = True
            for end in self._at_work:
                end()

    @property
    def is_canceled(self) -> bool:
        """Returns whether cancel() was called."""
        return self._is_canceled

    def __enter__(self) -> Cancel:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work)

    @contextmanager
    def over(self, end: Callable[[], object]) -> Iterator[None]:
        """Registers a call for the time that it runs; `end` ends it. Raises a CanceledError if
        cancel() was called before."""
        with self._changed:
            if self._is_canceled:
                end()
                raise CanceledError('canceled before it began')
            self._at_work.append(end)
        try:
            yield
        finally:
            with self._changed:
                self._at_work.remove(end)
                self._changed.notify_all()


def checked(cancel: Any) -> Optional[Cancel]:
    if cancel is not None and not isinstance(cancel, Cancel):
        raise type_error(f'cancel: {type(cancel).__name__} is not a libgsort.Cancel')
    return cancel


def over(cancel: Any, end: Callable[[], object] = lambda: None) -> ContextManager[None]:
    """Returns a context for a call that `cancel` ends by `end`. Default: the call polls `cancel`,
    which waits until the call has ended."""
    given = checked(cancel)
    return nullcontext() if given is None else given.over(end)
