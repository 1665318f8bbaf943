"""The progress of a job, and the line that shows it: tqdm's where it is installed, else the library's own."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable, List, NamedTuple, Tuple

from . import _c

PHASES = ('read', 'merge_runs', 'write', 'read_back')


class Progress(NamedTuple):
    """Bytes of input (phases read, merge_runs) or of output (write, read_back); bytes_total 0: not known. The last one of a call that
    succeeds has all of its phase."""

    phase: str
    bytes_done: int
    bytes_total: int
    seconds: float  # since the job began
    phase_seconds: float
    seconds_left: float = 0.0  # until the job ends; 0: not known

    @classmethod
    def of(cls, at: _c.CProgress) -> Progress:
        phase = PHASES[at.phase] if at.phase < len(PHASES) else str(at.phase)
        return cls(phase, at.bytes_done, at.bytes_total, at.elapsed_ns / 1e9, at.phase_ns / 1e9, at.left_ns / 1e9)


def progress_shower() -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """What is called with each progress, and what at the end."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _own_line()
    return _tqdm_bars(tqdm)


def _tqdm_bars(tqdm: Any) -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """A bar a phase."""
    bars: List[Any] = []
    phases: List[str] = []

    def end() -> None:
        while bars:
            bars.pop().close()

    def show(at: Progress) -> None:
        if phases != [at.phase]:
            end()
            phases[:] = [at.phase]
            bars.append(tqdm(desc=at.phase, total=at.bytes_total or None, unit='B', unit_scale=True))
        bars[0].update(at.bytes_done - bars[0].n)

    return show, end


def _own_line() -> Tuple[Callable[[Progress], object], Callable[[], object]]:
    """gs_progress_draw, on C's stderr."""
    stderr = ctypes.c_void_p.in_dll(ctypes.CDLL(None), 'stderr')

    def show(at: Progress) -> None:
        sys.stderr.flush()
        c = _c.CProgress(phase=PHASES.index(at.phase), bytes_done=at.bytes_done, bytes_total=at.bytes_total,
                         elapsed_ns=int(at.seconds * 1e9), phase_ns=int(at.phase_seconds * 1e9),
                         left_ns=int(at.seconds_left * 1e9))
        _c.library.gs_progress_draw(stderr, ctypes.byref(c))

    return show, lambda: _c.library.gs_progress_erase(stderr)
