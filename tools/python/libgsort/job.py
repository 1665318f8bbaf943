"""Runs a gs_job with the options that keywords give, shows its progress, and cancels it on Ctrl-C.

A job that the main thread calls runs on another thread without the GIL, because only the main
thread handles signals. Ctrl-C cancels the job and waits for its end. After that, no temporary data
are left and no thread writes to an array.
"""
from __future__ import annotations

import logging
import os  # noqa: F401  # hints of Options name os.PathLike
import threading
import time
import warnings
from typing import (Any, Callable, ContextManager, List, Mapping, Optional, Set, Tuple, TypeVar,
                    Union)

from . import _c
from ._hints import np
from ._options import Device, MemoryAndDisk, Reports, Tuning, WhatToSort, WhatToWrite
from .cancel import Cancel, checked, over
from .errors import DisorderError, NoteWarning, level_of_caller
from .progress import Progress, progress_shower
from .report import Report
from .keywords import OtherKeys, in_keywords, row_of, texts_of

T = TypeVar('T')
log: logging.Logger = logging.getLogger('libgsort')
log.addHandler(logging.NullHandler())


class ArrayOptions(WhatToSort, OtherKeys, MemoryAndDisk, Device, Reports, Tuning, total=False):
    """Lists the options of calls on arrays; libgsort.options() explains them.

    progress: True draws a line (by tqdm if it is installed); or a function that is called with a
        Progress
    cancel: a Cancel, with which other threads end the call
    """

    progress: Union[bool, Callable[[Progress], object]]
    cancel: Optional[Cancel]


class SortOptions(ArrayOptions, total=False):
    """Lists the options of sort, sorted and argsort: those of ArrayOptions, and words of NumPy.

    The words change nothing, because every sort is stable and an array has one dimension."""

    kind: Optional[str]
    stable: Optional[bool]
    axis: Optional[int]


class Options(ArrayOptions, WhatToWrite, total=False):
    """Lists the options of calls on files: those of ArrayOptions and those of the output."""


class Job:
    """Owns a gs_job, and the objects that must live as long."""

    def __init__(self, options: Mapping[str, Any], is_short: bool = False) -> None:
        """is_short: the job is too short to be canceled, except by a progress function or a
        Cancel."""
        self._cancel: Optional[int] = None
        self.pointer: Optional[int] = _c.library.gs_job_create()
        if not self.pointer:
            raise MemoryError('no memory is left for the job')
        self._asked = checked(options.get('cancel'))
        self._is_short = is_short
        self.given: Set[str] = set()
        # offset -> dtype of the fields that the report returns as times
        self.times: Mapping[int, np.dtype[Any]] = {}
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
        """Sets an option by its keyword, or adds values to an option that may be repeated. None:
        does nothing."""
        row = row_of(name)
        call = _c.library.gs_job_add if row.is_list else _c.library.gs_job_set
        for text in [] if value is None else texts_of(row, value):
            self.given.add(name)
            self.check(call(self.pointer, row.name, text))

    def check(self, status: int) -> None:
        """Raises the error of the last call with this job if `status` is one."""
        if status != 0:
            _c.raise_for(_c.library.gs_job_error(self.pointer).contents, self.given)

    def failure(self) -> str:
        """Returns the text of the error of the last call with this job, or ''."""
        text: bytes = _c.library.gs_job_error(self.pointer).contents.text
        return in_keywords(text.decode(errors='replace'), self.given)

    def keep(self, value: T) -> T:
        """Keeps an object alive as long as the job, and returns it. An array must outlive the
        library's thread, which a signal does not end."""
        self._kept.append(value)
        return value

    def _add_cancel(self) -> None:
        self._cancel = _c.library.gs_cancel_create()
        if not self._cancel:
            raise MemoryError('no memory or no descriptor is left')
        self.check(_c.library.gs_job_set_cancel(self.pointer, self._cancel))

    def _add_note(self) -> None:
        # not self: the callback would form a cycle, which only the garbage collector frees
        notes = self._notes

        def note(_: Any, text: bytes) -> None:
            notes.append(text.decode(errors='replace'))
        self.check(_c.library.gs_job_set_note(self.pointer, self.keep(_c.NOTE(note)), None))

    def _add_progress(self, wanted: Union[bool, Callable[[Progress], object]]) -> None:
        show, self.end = progress_shower(wanted)
        raised, cancel = self._raised, self._cancel
        last: List[Tuple[Progress, float]] = []

        def show_whole() -> None:
            for at, when in last:
                since = time.monotonic() - when
                show(at._replace(bytes_done=max(at.bytes_done, at.bytes_total),
                                 seconds=at.seconds + since, phase_seconds=at.phase_seconds + since,
                                 seconds_left=0.0))

        def progress(_: Any, at: Any) -> None:
            try:
                if not raised:
                    last[:] = [(Progress.of(at.contents), time.monotonic())]
                    show(last[0][0])
            except BaseException as error:  # raised by the user's function; ends the job
                raised.append(error)
                _c.library.gs_cancel_now(cancel)
        self.check(_c.library.gs_job_set_progress(self.pointer, self.keep(_c.PROGRESS(progress)),
                                                  None))
        self._show_whole = show_whole

    def cancel(self) -> None:
        _c.library.gs_cancel_now(self._cancel)

    def at_work(self) -> ContextManager[None]:
        """Returns a context in which the Cancel of the call, if there is one, ends the job."""
        return over(self._asked, self.cancel)

    def after(self) -> None:
        if self._raised:
            raise self._raised.pop()
        while self._notes:
            text = in_keywords(self._notes.pop(0), self.given)
            log.info('note: %s', text)
            warnings.warn(text, NoteWarning, stacklevel=level_of_caller())

    def run(self, function: Callable[..., int], *arguments: Any) -> Report:
        """Calls function(job, *arguments) so that Ctrl-C cancels it. Returns the report; a
        DisorderError has it as well."""
        try:
            with self.at_work():
                status = (function(self.pointer, *arguments) if self._is_short
                          else interruptible(lambda: function(self.pointer, *arguments),
                                             self.cancel))
            self.after()
            self.check(status)
            self._show_whole()
        except DisorderError as failed:
            failed.report = Report.taken(_c.library.gs_job_take_report(self.pointer), self.times)
            failed.disorder = failed.report.disorder
            raise
        finally:
            self.end()
        report = Report.taken(_c.library.gs_job_take_report(self.pointer), self.times)
        if log.isEnabledFor(logging.INFO):  # a report is parsed at its first use
            log.info('%s: %d elements of %s in %.3f s, %d bytes spilled', function.__name__,
                     report.count, report.type, report.seconds, report.spilled_bytes)
        return report


def interruptible(work: Callable[[], T], cancel: Callable[[], object]) -> T:
    """Returns or raises the result of `work`. If a signal handler raises an exception meanwhile,
    calls `cancel`, waits for the end of `work` and raises that exception."""
    if threading.current_thread() is not threading.main_thread():
        return _without_signals(work)
    done = threading.Event()
    # decided by the first to pop it: `target` runs the work, or this thread prevents it
    turn = [None]
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
    """Calls `work` with signals blocked in this thread and the threads that it starts. So signals
    reach the main thread."""
    import signal
    blocked = signal.valid_signals() - {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
                                        signal.SIGABRT, signal.SIGTRAP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        return work()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(done: threading.Event) -> None:
    """Waits with a timeout, in a loop, because a signal just before the wait would not end it."""
    while not done.wait(0.5):
        pass


def _stop(done: threading.Event, cancel: Callable[[], object]) -> None:
    try:
        cancel()
        _wait(done)
    except BaseException:
        _stop(done, cancel)
        raise
