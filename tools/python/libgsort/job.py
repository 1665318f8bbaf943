"""Jobs: a gs_job, which keywords tell what to do, run so that Ctrl-C cancels it and progress is shown.

A job called from the main thread runs on a thread of its own, for there alone signals are handled while it works; the GIL is free
meanwhile. Ctrl-C cancels it and waits until it has ended, so that nothing is left behind and nobody writes to an array any more.
"""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
import warnings
from contextlib import nullcontext
from typing import Any, Callable, ContextManager, List, Mapping, Optional, Set, Tuple, TypeVar, Union

from . import _c
from ._hints import np
from ._options import Device, MemoryAndDisk, Reports, Tuning, WhatToSort, WhatToWrite
from .cancel import Cancel
from .errors import DisorderError, NoteWarning, level_of_caller, type_error
from .progress import Progress, progress_shower
from .report import Report
from .table import in_keywords, row_of, texts_of

T = TypeVar('T')


class ArrayOptions(WhatToSort, MemoryAndDisk, Device, Reports, Tuning, total=False):
    """libgsort.options() has them.

    progress: True draws a line (tqdm's if it is there); or a call that is given a Progress
    cancel: a Cancel, through which other threads end the call
    """

    progress: Union[bool, Callable[[Progress], object]]
    cancel: Optional[Cancel]


class Options(ArrayOptions, WhatToWrite, total=False):
    """Those of files, too."""


def _cancel_of(options: Mapping[str, Any]) -> Optional[Cancel]:
    given = options.get('cancel')
    if given is not None and not isinstance(given, Cancel):
        raise type_error(f'cancel: {type(given).__name__}; a libgsort.Cancel is wanted')
    return given


class Job:
    """A gs_job, and what has to live as long as it."""

    def __init__(self, options: Mapping[str, Any], is_short: bool = False) -> None:
        """is_short: it ends before anybody would cancel it, so that nobody can, but a function that is shown progress."""
        self._cancel: Optional[int] = None
        self.pointer: Optional[int] = _c.library.gs_job_create()
        if not self.pointer:
            raise MemoryError('no memory is left')
        self._asked = _cancel_of(options)
        self._is_short = is_short
        self.given: Set[str] = set()
        self.times: Mapping[int, np.dtype[Any]] = {}  # what the report gives as times: offset -> dtype
        self._kept: List[Any] = []
        self._notes: List[str] = []
        self._raised: List[BaseException] = []
        self.end: Callable[[], object] = lambda: None
        self._show_whole: Callable[[], object] = lambda: None
        if not is_short or options.get('progress') or self._asked:
            self._add_cancel()
        self._add_note()
        for name, value in options.items():
            if name == 'progress':
                if value:
                    self._add_progress(value)
            elif name != 'cancel':
                self.set(name, value)

    def __del__(self) -> None:
        _c.library.gs_job_free(self.pointer)
        _c.library.gs_cancel_free(self._cancel)

    def set(self, name: str, value: Any) -> None:
        """An option by its keyword; of a list, more of it. None: it is not given."""
        row = row_of(name)
        call = _c.library.gs_job_add if row.is_list else _c.library.gs_job_set
        for text in [] if value is None else texts_of(row, value):
            self.given.add(name)
            self.check(call(self.pointer, row.name, text))

    def check(self, status: int) -> None:
        """Raises what a call that took the job has failed with."""
        if status != 0:
            _c.raise_for(_c.library.gs_job_error(self.pointer).contents, self.given)

    def failure(self) -> str:
        """What the call that took the job has failed with; nothing, if it has not."""
        text: bytes = _c.library.gs_job_error(self.pointer).contents.text
        return in_keywords(text.decode(errors='replace'), self.given)

    def keep(self, value: T) -> T:
        """Also arrays, of which the library has addresses: whatever a signal may end, they outlive the thread that works on them."""
        self._kept.append(value)
        return value

    def _add_cancel(self) -> None:
        self._cancel = _c.library.gs_cancel_create()
        if not self._cancel:
            raise MemoryError('no memory or no descriptor is left')
        self.check(_c.library.gs_job_set_cancel(self.pointer, self._cancel))

    def _add_note(self) -> None:
        notes = self._notes  # not self: what a callback holds is not given back before the collector of circles comes

        def note(_: Any, text: bytes) -> None:
            notes.append(text.decode(errors='replace'))
        self.check(_c.library.gs_job_set_note(self.pointer, self.keep(_c.NOTE(note)), None))

    def _add_progress(self, wanted: Union[bool, Callable[[Progress], object]]) -> None:
        show, self.end = (wanted, self.end) if callable(wanted) else progress_shower()
        raised, cancel = self._raised, self._cancel
        last: List[Tuple[Progress, float]] = []

        def show_whole() -> None:
            for at, when in last:
                since = time.monotonic() - when
                show(at._replace(bytes_done=max(at.bytes_done, at.bytes_total), seconds=at.seconds + since, phase_seconds=at.phase_seconds + since,
                                 seconds_left=0.0))

        def progress(_: Any, at: Any) -> None:
            try:
                if not raised:
                    last[:] = [(Progress.of(at.contents), time.monotonic())]
                    show(last[0][0])
            except BaseException as error:  # of the caller's function: the job ends with it
                raised.append(error)
                _c.library.gs_cancel_now(cancel)
        self.check(_c.library.gs_job_set_progress(self.pointer, self.keep(_c.PROGRESS(progress)), None))
        self._show_whole = show_whole

    def cancel(self) -> None:
        _c.library.gs_cancel_now(self._cancel)

    def at_work(self) -> ContextManager[None]:
        """While a call of the job works, its Cancel ends it."""
        return self._asked.over(self.cancel) if self._asked else nullcontext()

    def after(self) -> None:
        if self._raised:
            raise self._raised.pop()
        while self._notes:
            warnings.warn(in_keywords(self._notes.pop(0), self.given), NoteWarning, stacklevel=level_of_caller())

    def run(self, function: Callable[..., int], *arguments: Any) -> Report:
        """function(job, *arguments), which Ctrl-C cancels; a DisorderError carries the report, too."""
        try:
            with self.at_work():
                status = (function(self.pointer, *arguments) if self._is_short
                          else interruptible(lambda: function(self.pointer, *arguments), self.cancel))
            self.after()
            self.check(status)
            self._show_whole()
        except DisorderError as failed:
            failed.report = Report.taken(_c.library.gs_job_take_report(self.pointer), self.times)
            failed.disorder = failed.report.disorder
            raise
        finally:
            self.end()
        return Report.taken(_c.library.gs_job_take_report(self.pointer), self.times)


def interruptible(work: Callable[[], T], cancel: Callable[[], object]) -> T:
    """What `work` returns or raises. What a signal raises meanwhile cancels it, and goes on when it has ended."""
    if threading.current_thread() is not threading.main_thread():
        return _without_signals(work)
    done = threading.Event()
    turn = [None]  # who takes it decides: the thread, that it works, or this one, that it does not
    results: List[Tuple[bool, Any]] = []

    def target() -> None:
        try:
            turn.pop()
            results.append((True, _without_signals(work)))
        except BaseException as error:
            results.append((False, error))
        finally:
            done.set()

    try:
        threading.Thread(target=target, name='libgsort', daemon=True).start()
        _wait(done)
    except BaseException:
        try:
            turn.pop()
        except IndexError:
            _stop(done, cancel)
        raise
    is_good, result = results[0]
    if not is_good:
        raise result
    return result  # type: ignore[no-any-return]


def _without_signals(work: Callable[[], T]) -> T:
    """Signals of the process go to the main thread, which handles them; not to this one, nor to those that the library starts."""
    import signal
    blocked = signal.valid_signals() - {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        return work()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(done: threading.Event) -> None:
    """Looks up now and then: a signal that comes just before Python falls asleep does not wake it."""
    while not done.wait(0.5):
        pass


def _stop(done: threading.Event, cancel: Callable[[], object]) -> None:
    try:
        cancel()
        _wait(done)
    except BaseException:
        _stop(done, cancel)
        raise
