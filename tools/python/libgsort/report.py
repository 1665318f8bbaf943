"""Report: the results of a job as attributes. They are read from the library's JSON, in which every
number is exact."""
from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Tuple, Union

from . import _c
from ._hints import np

# Values of elements: numpy.datetime64 or timedelta64 if elements are times.
Number = Any  # int or float
Sum = Any  # int or float; datetimes have no sum
Mean = Any  # float
Deviation = Any  # float; timedelta64 if elements are times

# The last reports that were not read yet. Each still has a report of the library, of 0.1 MB, so
# there is a limit.
_unread: deque[weakref.ref[Report]] = deque()
UNREAD_MOST = 16
# two threads may read one report: its user, and a thread that reads the oldest report
_reading = threading.RLock()
os.register_at_fork(before=_reading.acquire, after_in_parent=_reading.release,
                    after_in_child=_reading.release)

SCHEMA = 2  # of the JSON whose names are below


class _Taken:
    """Owns a report of the library, and frees it."""

    __slots__ = ('pointer', 'times')

    def __init__(self, pointer: Optional[int], times: Mapping[int, np.dtype[Any]]) -> None:
        self.pointer, self.times = pointer, times

    def __del__(self) -> None:
        _c.library.gs_report_free(self.pointer)


class Told:
    """Offers values of the JSON object `details` as attributes of the annotated types. Each is
    converted at its first use."""

    _paths: Mapping[str, str]
    details: Mapping[str, Any]

    def __init_subclass__(cls, paths: Mapping[str, str] = {}) -> None:
        """paths: attribute -> its path in the JSON, if that is not its name"""
        cls._paths = paths

    def __init__(self, details: Mapping[str, Any], is_float: bool = False,
                 time: Optional[np.dtype[Any]] = None) -> None:
        """time: the dtype of values that are times."""
        self.details, self._is_float, self._time = details, details.get('is_float', is_float), time

    if not TYPE_CHECKING:  # type checkers know the annotations
        def __getattr__(self, name: str) -> Any:
            if name in ('details', '_is_float', '_time', '_times') and isinstance(self, Report):
                self._read()
                if name in self.__dict__:
                    return self.__dict__[name]
            if name not in type(self).__annotations__:
                raise AttributeError(f"a {type(self).__name__} has no '{name}'")
            value: Any = self.details
            for part in self._paths.get(name, name).split('.'):
                value = value.get(part)
            setattr(self, name, self._made(type(self).__annotations__[name], value))
            return getattr(self, name)

    def _made(self, kind: str, value: Any) -> Any:
        """Returns `value` as the type that an annotation names."""
        if kind.startswith('Optional['):
            return None if value is None else self._made(kind[len('Optional['):-1], value)
        if kind.startswith('Tuple['):
            return tuple(self._made(kind[len('Tuple['):-len(', ...]')], row) for row in value or ())
        if kind in ('int', 'float'):
            return int(value or 0) if kind == 'int' else float(value)
        if kind in VALUES:
            return (VALUES[kind](value, self._is_float) if self._time is None
                    else _as_time(kind, value, self._time))
        return (value if kind == 'str'
                else globals()[kind](value, self._is_float, self._time_of(value)))

    def _time_of(self, part: Mapping[str, Any]) -> Optional[np.dtype[Any]]:
        return self._time

    def __eq__(self, other: object) -> bool:
        return (type(other) is type(self) and isinstance(other, Told)
                and self.details == other.details and self._time == other._time)

    def __hash__(self) -> int:
        return hash(frozenset(self.details))

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *type(self).__annotations__]

    def __repr__(self) -> str:
        """Returns the attributes that have a value, without phases: a prompt shows this text after
        each call."""
        told = ', '.join(f'{name}={value!r}' for name, value in self._values().items())
        return f'{type(self).__name__}({told})'

    def _values(self) -> Mapping[str, Any]:
        values = {name: getattr(self, name) for name in type(self).__annotations__
                  if name != 'phases'}
        return {name: value for name, value in values.items() if value is not None
                and not (isinstance(value, tuple) and not value)}

    def _repr_html_(self) -> str:
        return _html(type(self).__name__, self._values().items())


def _html(name: str, rows: Iterable[Tuple[str, Any]]) -> str:
    """Returns a table of names and values, for notebooks."""
    from html import escape
    lines = ''.join(f'<tr><th>{escape(row)}</th><td>{escape(str(value))}</td></tr>'
                    for row, value in rows)
    return f'<table><caption>{name}</caption>{lines}</table>'


class Phase(Told):
    """Describes one phase of a job. Sizes are in bytes, times in seconds.

    name: 'read', 'merge_runs', 'write' or 'read_back'
    seconds: duration of the phase
    bytes_read, bytes_written: transferred from and to files
    io_busy_seconds: the part of `seconds` during which files were read or written
    """

    name: str
    seconds: float
    bytes_read: int
    bytes_written: int
    io_busy_seconds: float


class Field(Told, paths={'name': 'field'}):
    """Holds statistics of one field of records.

    name: the field, as 'OFF:TYPE' or by its name
    count: how many values
    min, max, sum: exact, without NaNs; None if there are no values
    nan_count: how many values are NaN or NaT
    """

    name: str
    count: int
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Sum]
    nan_count: int


class Quantile(Told):
    """Holds one quantile of n values. All attributes but `p` are None if there are no values.

    p: the text that was given, such as '0.99'
    rank: ceil(p n), from 1
    value: the element of that rank
    between: the quantile that numpy.quantile computes by default
    """

    p: str
    rank: Optional[int]
    value: Optional[Number]
    between: Optional[Mean]


class Bin(Told, paths={'start': 'from'}):
    """Holds one bin of a histogram.

    start: the least value of the bin. It ends before the start of the next bin; the last bin
        includes the greatest value
    count: how many values are in the bin
    """

    start: Number
    count: int


class Disorder(Told):
    """Describes the first element that is smaller than the one before it.

    index: the position of this element, from 0
    before: the previous element, as text
    after: this element, as text
    """

    index: int
    before: str
    after: str


TALLIED = ('count', 'min', 'max', 'sum', 'nan_count', 'mean', 'variance', 'deviation',
           'fingerprint')


class Report(Told, paths={name: f'tally.{name}' for name in TALLIED}):
    """Holds the results of a job. Sizes are in bytes, times in seconds; counts are numbers of
    elements. Results without a value are None or empty.

    count: elements that were read
    type: the type of the elements, such as 'f64' or 'record'
    min, max, sum: exact, for numbers; for records see `fields`. A sum of floats is rounded once.
        Datetimes have no sum
    nan_count: how many elements are NaN or NaT
    seconds: duration of the job
    input_bytes, output_bytes: bytes of elements that were read and written
    unique_count: elements that a sort with unique=True wrote
    duplicate_count: for check(): elements with the same key as the one before them
    mean, variance, deviation: with variance=True
    quantiles, histogram: with the options of these names
    distinct_count: with distinct=True
    mode, mode_count: the most frequent value and its count; with mode=True
    spilled_bytes: written as temporary data
    memory_peak_bytes: the most memory that the job used
    device, engine: how it sorted ('cpu' or 'cuda'), and how it read and wrote files
    fingerprint: a checksum of all elements, in any order
    fields: statistics for fields of records
    phases: the phases of the job in order
    disorder: for check(): the first place that is not in order
    details: the complete report, as the library's JSON

    Integers are int, floats are float. Datetimes are numpy.datetime64, and durations are
    numpy.timedelta64.
    """

    count: int
    type: Optional[str]
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Sum]
    nan_count: int
    seconds: float
    input_bytes: int
    output_bytes: int
    unique_count: Optional[int]
    duplicate_count: Optional[int]
    mean: Optional[Mean]
    variance: Optional[float]
    deviation: Optional[Deviation]
    quantiles: Tuple[Quantile, ...]
    histogram: Tuple[Bin, ...]
    distinct_count: Optional[int]
    mode: Optional[Number]
    mode_count: Optional[int]
    spilled_bytes: int
    memory_peak_bytes: int
    device: Optional[str]
    engine: Optional[str]
    fingerprint: str
    fields: Tuple[Field, ...]
    phases: Tuple[Phase, ...]
    disorder: Optional[Disorder]

    def __init__(self, details: Mapping[str, Any], times: Mapping[int, np.dtype[Any]] = {}) -> None:
        """times: offset of a field -> the dtype of its times."""
        super().__init__(details)
        self._times = times
        self._time = self._time_at(details.get('ranks_of') or f"0:{details.get('type')}")

    def _time_of(self, part: Mapping[str, Any]) -> Optional[np.dtype[Any]]:
        return self._time_at(part['field']) if 'field' in part else self._time

    def _time_at(self, field: str) -> Optional[np.dtype[Any]]:
        """Returns the dtype of a field 'OFF:TYPE' of times. None: it holds other values, or has
        another form of name."""
        off, _, rest = field.partition(':')
        word = rest.partition(':')[0]
        return (self._times.get(int(off), time_dtype(word)) if off.isdigit()
                and word.startswith('time64') else None)

    @classmethod
    def from_json(cls, text: Union[str, bytes]) -> Report:
        """Returns the Report in JSON that `gsort --stats=json` printed, or
        json.dumps(report.details).

        Raises a ValueError if the text is not a report, or is a report of another schema.
        """
        import json
        try:
            told = json.loads(text)
        except ValueError as error:
            raise ValueError(f'Report.from_json(): not a report of gsort: {error}') from None
        if not isinstance(told, dict) or 'schema' not in told or 'tally' not in told:
            raise ValueError('Report.from_json(): not a report of gsort')
        if told['schema'] != SCHEMA:
            raise ValueError(f"Report.from_json(): a report of schema {told['schema']!r}, by "
                             f"another version of gsort; this version reads schema {SCHEMA}")
        return cls(told)

    @classmethod
    def taken(cls, pointer: Optional[int], times: Mapping[int, np.dtype[Any]]) -> Report:
        """Returns a Report that owns the result of gs_job_take_report. It is parsed at its first
        use, because parsing takes longer than sorting a few numbers."""
        report = cls.__new__(cls)
        report.__dict__['_taken'] = _Taken(pointer, times)
        _unread.append(weakref.ref(report))
        if len(_unread) > UNREAD_MOST:
            oldest = _unread.popleft()()
            if oldest is not None:
                oldest._read()
        return report

    def _read(self) -> None:
        with _reading:
            taken = self.__dict__.get('_taken')
            if taken is not None:
                import json
                Report.__init__(self, json.loads(_c.report_json(taken.pointer)), taken.times)
                del self.__dict__['_taken']

    def __getstate__(self) -> Mapping[str, Any]:
        self._read()
        return self.__dict__

    @property
    def ray(self) -> Mapping[str, Any]:
        """Returns details of a sort on a cluster (libgsort.ray); empty for other sorts.

        It has the seconds of each step, and the numbers of nodes, maps, parts, restarted tasks and
        bytes between nodes.
        """
        told: Mapping[str, Any] = self.details.get('ray', {})
        return told

    def plot(self, path: str) -> None:
        """Draws the phases over time, and memory, to the file `path`, which ends in .svg or .png.
        Needs matplotlib."""
        from .plot import plot
        plot(self, path)

    @property
    def bytes_per_second(self) -> float:
        """Returns the bytes of input per second; 0.0 if no time was measured."""
        return self.input_bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass
class TableReport:
    """Reports on the sort of a table. Sizes are in bytes, times in seconds.

    rows: rows that were read
    runs: sorted runs that were made in memory
    passes: how many merges a row went through, at most
    spilled_bytes: written to temporary files
    memory: the limit for the memory of the sort
    seconds: duration of the sort
    """

    rows: int = 0
    runs: int = 0
    passes: int = 1
    spilled_bytes: int = 0
    memory: int = 0
    seconds: float = 0.0

    def _repr_html_(self) -> str:
        return _html('TableReport', self.__dict__.items())


def _number(text: str, is_float: bool) -> Any:
    """Returns the number in `text`, or else the time. A whole number is an int, because the report
    does not mark float fields of records."""
    for kind in (float,) if is_float else (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return np.datetime64(text)


def _real(text: str, is_float: bool) -> Any:
    return _number(text, True)


VALUES = {'Number': _number, 'Sum': _number, 'Mean': _real, 'Deviation': _real}


def time_dtype(word: str) -> Optional[np.dtype[Any]]:
    """Returns the dtype for a time type of the library, such as 'time64[ms]'. None: `word` is not
    one."""
    return (np.dtype(f"M8{word[word.index('['):].removesuffix('be')}") if word.startswith('time64[')
            else None)


def _as_time(kind: str, text: str, time: np.dtype[Any]) -> Any:
    """Returns a time from a number of units, which may be a fraction, or from text such as
    '2020-01-01'."""
    if kind == 'Sum' and time.kind == 'M':
        return None
    if kind == 'Deviation':
        time = np.dtype(time.str.replace('M', 'm'))
    value = _number(text, False)
    if isinstance(value, float):
        value = round(value)
    if isinstance(value, int):
        return np.array(value, np.int64).view(time)[()] if -1 << 63 <= value < 1 << 63 else value
    return value.astype(time)
