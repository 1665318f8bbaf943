"""Jobs: options as the library takes them, calls that Ctrl-C cancels, progress.

A job called from the main thread runs on a thread of its own, for there alone signals are handled while it works; the GIL is free
meanwhile. Ctrl-C cancels it and waits until it has ended, so that nothing is left behind and nobody writes to an array any more.
"""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings

from . import _c
from .errors import DisorderError, NoteWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Sequence, Tuple, TypedDict, TypeVar, Union

    from .progress import Progress
    from .report import Report

    T = TypeVar('T')

    Path = Union[str, 'os.PathLike[str]']

    class Tuning(TypedDict, total=False):
        """Options of every job. Sizes are bytes, or texts as '512M', '2G', '25%' (of what there is now).

        memory: ceiling for the job (and the process, arrays of its own aside); default half of what there is
        threads: that sort and merge; default all processors
        temp: directories where runs are spilled; default the output's, or $TMPDIR or /tmp
        compress: of spilled runs: 'auto', 'none', 'zstd', 'zstd:LEVEL'
        device: 'auto', 'cpu', 'cuda', 'cuda:N'; device_memory: the most to take there
        io: 'auto', 'uring', 'threads'
        progress: True draws a line (tqdm's if it is there); or a call that is given a Progress now and then
        """

        memory: Union[int, str]
        threads: int
        temp: Union[Path, Sequence[Path]]
        compress: str
        device: str
        device_memory: Union[int, str]
        io: str
        progress: Union[bool, Callable[[Progress], object]]


def paths_of(paths: Union[Path, Sequence[Path]]) -> List[bytes]:
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    return [os.fsencode(path) for path in paths]


def size_of(text: Union[int, str]) -> int:
    """Bytes: 4096, '64K', '1.5G', '25%' of the memory that there is."""
    if isinstance(text, int):
        if text <= 0:
            raise ValueError(f'{text} is no size in bytes')
        return text
    size = ctypes.c_uint64()
    if not _c.library.gs_size_parse(c_text(text), _c.library.gs_memory_available(), ctypes.byref(size)):
        raise ValueError(f"'{text}' is no size: a number of bytes, or one with K, M, G, T, or %")
    return size.value


def _gpus(device: str) -> int:
    """The GPUs of 'cuda:all' or 'cuda:0,2' as bits; 0: it names no more than one."""
    word, _, numbers = device.partition(':')
    if word != 'cuda' or numbers != 'all' and ',' not in numbers:
        return 0
    if numbers == 'all':
        return 2 ** 64 - 1
    gpus = 0
    for number in numbers.split(','):
        if not number.isdigit() or int(number) > 63:
            raise ValueError(f"device: '{device}': '{numbers}' is not all, or a list of numbers from 0 to 63")
        gpus |= 1 << int(number)
    return gpus


def choice_of(name: str, text: str, choices: Any) -> Tuple[int, int]:
    """The value of a word, and the number behind it, as in 'zstd:3'."""
    word, _, number = text.partition(':')
    words = []
    for choice in choices:
        if choice.word is None:
            break
        words.append(choice.word.decode())
        if words[-1] == word:
            is_number = number.isdigit() and choice.number_min <= int(number) <= choice.number_max
            if number == '' and ':' not in text:
                return choice.value, 0
            if choice.number_max and is_number:
                return choice.value, int(number)
    raise ValueError(f"{name}: '{text}' is none of {', '.join(words)}")


def c_text(text: Union[Path, bytes]) -> bytes:
    """As C takes it; it would end at a null byte, and name something else."""
    encoded = os.fsencode(text)
    if b'\0' in encoded:
        raise ValueError(f'{text!r}: holds a null byte')
    return encoded


def _strings(texts: Sequence[bytes]) -> Any:
    return (ctypes.c_char_p * len(texts))(*map(c_text, texts))


def _level_of_caller() -> int:
    """For warnings.warn: the line that called this package."""
    frame, level, here = sys._getframe(1), 1, os.path.dirname(__file__)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    return level


class Job:
    """Options of one call, and what has to live as long as it."""

    def __init__(self, **tuning: Any) -> None:
        self.options = _c.COptions()
        self._kept: List[Any] = []
        self._notes: List[str] = []
        self._raised: List[BaseException] = []
        self.end: Callable[[], object] = lambda: None
        self._cancel: Optional[int] = _c.library.gs_cancel_create()
        if not self._cancel:
            raise MemoryError('no memory or no descriptor is left')
        self.options.cancel = self._cancel
        self._add_note()
        self._tune(**tuning)

    def __del__(self) -> None:
        if getattr(self, '_cancel', None):
            _c.library.gs_cancel_free(self._cancel)

    def _tune(self, memory: Union[int, str, None] = None, threads: int = 0,
              temp: Union[Path, Sequence[Path], None] = None, compress: str = 'auto', device: str = 'auto',
              device_memory: Union[int, str, None] = None, io: str = 'auto',
              progress: Union[bool, Callable[[Progress], object]] = False) -> None:
        o = self.options
        o.memory_bytes = 0 if memory is None else size_of(memory)
        o.device_memory_bytes = 0 if device_memory is None else size_of(device_memory)
        if threads < 0:
            raise ValueError(f'threads: {threads}')
        o.thread_count = threads
        o.io = choice_of('io', io, _c.library.gs_io_choices())[0]
        o.device_set = _gpus(device)
        one = 'cuda' if o.device_set else device
        o.device, o.device_index = choice_of('device', one, _c.library.gs_device_choices())
        o.compress, o.compress_level = choice_of('compress', compress, _c.library.gs_compress_choices())
        if temp is not None:
            self.set_strings('temp_dirs', 'temp_dir_count', paths_of(temp))
        if progress:
            self._add_progress(progress)

    def set_unique(self, unique: bool, counts: bool, keep: str, group: int) -> None:
        if keep not in _c.KEEPS:
            raise ValueError(f"keep: '{keep}' is none of {', '.join(_c.KEEPS)}")
        o = self.options
        o.unique, o.unique_counts, o.unique_keep, o.group_keys = unique, counts, _c.KEEPS.index(keep), group

    def keep(self, value: T) -> T:
        """Also arrays, of which the library has addresses: whatever a signal may end, they outlive the thread that works on them."""
        self._kept.append(value)
        return value

    def set_strings(self, field: str, count: str, texts: Sequence[bytes]) -> None:
        setattr(self.options, field, self.keep(_strings(texts)))
        setattr(self.options, count, len(texts))

    def _add_note(self) -> None:
        notes = self._notes  # not self: what a callback holds is not given back before the collector of circles comes

        def note(_: Any, text: bytes) -> None:
            notes.append(text.decode(errors='replace'))
        self.options.note = self.keep(_c.NOTE(note))

    def _add_progress(self, wanted: Union[bool, Callable[[Progress], object]]) -> None:
        from .progress import Progress, progress_shower
        show, self.end = (wanted, self.end) if callable(wanted) else progress_shower()
        raised, cancel = self._raised, self._cancel

        def progress(_: Any, at: Any) -> None:
            try:
                if not raised:
                    show(Progress.of(at.contents))
            except BaseException as error:  # of the caller's function: the job ends with it
                raised.append(error)
                _c.library.gs_cancel_now(cancel)
        self.options.progress = self.keep(_c.PROGRESS(progress))

    def cancel(self) -> None:
        _c.library.gs_cancel_now(self._cancel)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """function(*arguments, error), which Ctrl-C cancels; raises what it fails with."""
        error = _c.CError()
        status = interruptible(lambda: function(*arguments, ctypes.byref(error)), self.cancel)
        self.after()
        _c.raise_for(status, error)

    def after(self) -> None:
        if self._raised:
            raise self._raised.pop()
        while self._notes:
            warnings.warn(self._notes.pop(0), NoteWarning, stacklevel=_level_of_caller())

    def run(self, function: Callable[..., int], *arguments: Any, between: Sequence[Any] = ()) -> Report:
        """function(*arguments, options, its size, *between, report, its size, error); failures carry the report."""
        from .report import Report
        report = ctypes.create_string_buffer(_c.REPORT_BYTES)
        o = self.options
        try:
            self.call(function, *arguments, ctypes.byref(o), ctypes.sizeof(o), *between, report, len(report))
        except DisorderError as failed:
            failed.report = Report.from_json(_c.report_json(report))
            failed.disorder = failed.report.disorder
            raise
        finally:
            self.end()
        return Report.from_json(_c.report_json(report))


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
