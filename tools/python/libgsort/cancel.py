"""Cancel: ends calls from another thread, or from a coroutine that has waited long enough."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Callable, Iterator, List

from .errors import error_of

CANCELED = -10  # GS_E_CANCELED


class Cancel:
    """Ends the calls that it was given to as `cancel=`: those at work, and those that begin later. They raise a CanceledError.

        with gs.Cancel() as cancel:
            await asyncio.wait_for(asyncio.to_thread(gs.sort, a, cancel=cancel), 60)

    Behind the `with` no call works any more, however it was left: what still does is canceled, and waited for. An output file is
    as it was. The error says what an array has: what it had, its elements in another order, or, where a sorted copy was being
    written over it, not all of them. A call of less than 1 MiB may end first. In a child of fork it ends nothing of the parent's.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._at_work: List[Callable[[], object]] = []  # what ends each call
        self._is_canceled = False

    def cancel(self) -> None:
        """From any thread, any number of times; it cannot be undone. Waits for nothing."""
        with self._changed:
            self._is_canceled = True
            for end in self._at_work:
                end()

    @property
    def is_canceled(self) -> bool:
        return self._is_canceled

    def __enter__(self) -> Cancel:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work)

    @contextmanager
    def over(self, end: Callable[[], object]) -> Iterator[None]:
        """While a call is at work that `end` ends."""
        with self._changed:
            if self._is_canceled:
                end()
                raise error_of(CANCELED, 0, 'canceled before it began')
            self._at_work.append(end)
        try:
            yield
        finally:
            with self._changed:
                self._at_work.remove(end)
                self._changed.notify_all()
