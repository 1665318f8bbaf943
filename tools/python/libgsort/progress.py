"""Progress of a job, and the line that shows it: by tqdm if it is installed, otherwise by the
library."""
from __future__ import annotations

import ctypes
import sys
import time
from typing import Any, Callable, List, NamedTuple, Tuple, Union

from . import _c

PHASES = ('read', 'merge_runs', 'write', 'read_back')


class Progress(NamedTuple):
    """Describes the progress of a job.

    phase: 'read', 'merge_runs', 'write' or 'read_back'
    bytes_done: bytes of input (in read and merge_runs) or of output (in write and read_back) so far
    bytes_total: all bytes of the phase; 0: not known. If the call succeeds, its last Progress has
        bytes_done == bytes_total
    seconds: since the start of the job
    phase_seconds: since the start of the phase
    seconds_left: estimated time to the end of the job; 0: not known
    """

    phase: str
    bytes_done: int
    bytes_total: int
    seconds: float
    phase_seconds: float
    seconds_left: float = 0.0

    @classmethod
    def of(cls, at: _c.CProgress) -> Progress:
        phase = PHASES[at.phase] if at.phase < len(PHASES) else str(at.phase)
        return cls(phase, at.bytes_done, at.bytes_total, at.elapsed_ns / 1e9, at.phase_ns / 1e9,
                   at.left_ns / 1e9)


Progressing = Union[bool, Callable[[Progress], object]]


def progress_shower(
        wanted: Progressing) -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """Returns two functions: one to call with each Progress, and one to call at the end.

    wanted: the argument `progress` of a call
    """
    if callable(wanted) or not wanted:
        return wanted or (lambda at: None), lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _own_line()
    return _tqdm_bars(tqdm)


def _tqdm_bars(tqdm: Any) -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """Shows one bar per phase."""
    bars: List[Any] = []
    phases: List[str] = []

    def end() -> None:
        while bars:
            bars.pop().close()

    def show(at: Progress) -> None:
        if phases != [at.phase]:
            end()
            phases[:] = [at.phase]
            bars.append(tqdm(desc=at.phase, total=at.bytes_total or None, unit='B',
                             unit_scale=True))
        bars[0].update(at.bytes_done - bars[0].n)

    return show, end


def _own_line() -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """Shows the line of gs_progress_draw, on the stderr of C."""
    stderr = ctypes.c_void_p.in_dll(ctypes.CDLL(None), 'stderr')

    def show(at: Progress) -> None:
        sys.stderr.flush()
        c = _c.CProgress(phase=PHASES.index(at.phase), bytes_done=at.bytes_done,
                         bytes_total=at.bytes_total,
                         elapsed_ns=int(at.seconds * 1e9), phase_ns=int(at.phase_seconds * 1e9),
                         left_ns=int(at.seconds_left * 1e9))
        _c.library.gs_progress_draw(stderr, ctypes.byref(c))

    return show, lambda: _c.library.gs_progress_erase(stderr)


class Shown:
    """Shows the progress of a table: True draws a line; a function is called with each Progress.
    Bytes are those of Arrow or of a file."""

    def __init__(self, progress: Progressing) -> None:
        self.show, self.end = progress_shower(progress)
        self.phase, self.begun, self.phase_begun, self.last = '', time.monotonic(), 0.0, 0.0

    def at(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if phase == self.phase and now - self.last < 0.1 and done < total:
            return
        if phase != self.phase:
            self.phase, self.phase_begun = phase, now
        self.last = now
        self.show(Progress(phase, done, total, now - self.begun, now - self.phase_begun))
