"""What a job found and did: the library's JSON, in which every number is exact, with attributes."""
from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Tuple, Union

from . import _c
from ._hints import np

# Values of elements. They are numpy.datetime64 or timedelta64 if elements are times.
Number = Any  # int or float
Sum = Any  # int or float; datetimes have no sum
Mean = Any  # float
Deviation = Any  # float; timedelta64 if elements are times

# Reports that nobody has looked into yet are the library's, 0.1 MB each; so these are the last ones.
_unread: deque[weakref.ref[Report]] = deque()
UNREAD_MOST = 16
_reading = threading.RLock()  # a report is looked into by one thread while it is the oldest one, which is read, in another
os.register_at_fork(before=_reading.acquire, after_in_parent=_reading.release, after_in_child=_reading.release)

SCHEMA = 2  # of the JSON whose names are below


class _Taken:
    """A report of the library's, which is given back with this."""

    __slots__ = ('pointer', 'times')

    def __init__(self, pointer: Optional[int], times: Mapping[int, np.dtype[Any]]) -> None:
        self.pointer, self.times = pointer, times

    def __del__(self) -> None:
        _c.library.gs_report_free(self.pointer)


class Told:
    """Attributes, by their annotations, of what JSON says in `details`; each is made when it is asked for."""

    OF: Mapping[str, str] = {}  # attribute -> its path, where that is not its name
    details: Mapping[str, Any]

    def __init__(self, details: Mapping[str, Any], is_float: bool = False, time: Optional[np.dtype[Any]] = None) -> None:
        """time: the dtype of values that are times."""
        self.details, self._is_float, self._time = details, details.get('is_float', is_float), time

    if not TYPE_CHECKING:  # who knows the annotations
        def __getattr__(self, name: str) -> Any:
            if name in ('details', '_is_float', '_time', '_times') and isinstance(self, Report):
                self._read()
                if name in self.__dict__:
                    return self.__dict__[name]
            if name not in type(self).__annotations__:
                raise AttributeError(f"a {type(self).__name__} has no '{name}'")
            value: Any = self.details
            for part in self.OF.get(name, name).split('.'):
                value = value.get(part)
            setattr(self, name, self._made(type(self).__annotations__[name], value))
            return getattr(self, name)

    def _made(self, kind: str, value: Any) -> Any:
        """As an annotation says."""
        if kind.startswith('Optional['):
            return None if value is None else self._made(kind[len('Optional['):-1], value)
        if kind.startswith('Tuple['):
            return tuple(self._made(kind[len('Tuple['):-len(', ...]')], row) for row in value or ())
        if kind in ('int', 'float'):
            return int(value or 0) if kind == 'int' else float(value)
        if kind in VALUES:
            return VALUES[kind](value, self._is_float) if self._time is None else _as_time(kind, value, self._time)
        return value if kind == 'str' else globals()[kind](value, self._is_float, self._time_of(value))

    def _time_of(self, part: Mapping[str, Any]) -> Optional[np.dtype[Any]]:
        return self._time

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Told) and self.details == other.details and self._time == other._time

    def __hash__(self) -> int:
        return hash(frozenset(self.details))

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *type(self).__annotations__]

    def __repr__(self) -> str:
        """What is there; of a job without its phases, for a prompt shows it behind each call."""
        told = {name: getattr(self, name) for name in type(self).__annotations__ if name != 'phases'}
        is_there = {name: value for name, value in told.items() if value is not None and not (isinstance(value, tuple) and not value)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in is_there.items())})"


class Phase(Told):
    """A part of a job's time: 'read', 'merge_runs', 'write' or 'read_back'. Sizes are bytes."""

    name: str
    seconds: float
    bytes_read: int
    bytes_written: int
    io_busy_seconds: float  # of `seconds`, while a transfer to or from a file was under way


class Field(Told):
    """Statistics of a field of records; NaNs are ignored, and counted."""

    OF = {'name': 'field'}
    name: str
    count: int
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Sum]
    nan_count: int


class Quantile(Told):
    """`p` as it was asked for; `value` is the element of rank ceil(p n), `between` as numpy.quantile has it by default. All but `p` are
    None if there are no values."""

    p: str
    rank: Optional[int]
    value: Optional[Number]
    between: Optional[Mean]


class Bin(Told):
    """`count` values from `start` on, up to that of the next bin; the last bin ends with the greatest value."""

    OF = {'start': 'from'}
    start: Number
    count: int


class Disorder(Told):
    """The first element that is smaller than the one before it; `index` counts from 0."""

    index: int
    before: str
    after: str


class Report(Told):
    """What became of a job. Sizes are bytes, times seconds, counts are of elements.

    min, max and sum are of numbers, exact; of records, look into `fields`. Integers are int, floats are float. A sum of
    floats is that of all elements, rounded once. Values of datetimes are numpy.datetime64, without a sum, and durations are
    numpy.timedelta64. What was not asked for is None, or empty: mean, variance and deviation come with
    variance=True, distinct_count with distinct=True, quantiles, histogram and mode with options of these names. `details` is the whole
    report as the library's JSON has it.
    """

    OF = {name: f'tally.{name}' for name in ('count', 'min', 'max', 'sum', 'nan_count', 'mean', 'variance', 'deviation', 'fingerprint')}
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
        """The dtype of a field 'OFF:TYPE' of times; None: it holds other values, or is named otherwise."""
        off, _, rest = field.partition(':')
        word = rest.partition(':')[0]
        return self._times.get(int(off), time_dtype(word)) if off.isdigit() and word.startswith('time64') else None

    @classmethod
    def from_json(cls, text: Union[str, bytes]) -> Report:
        """Of what gsort --stats=json printed, or of json.dumps(report.details); a ValueError: it is none, or of another schema."""
        import json
        try:
            told = json.loads(text)
        except ValueError as error:
            raise ValueError(f'Report.from_json(): no report of gsort: {error}') from None
        if not isinstance(told, dict) or 'schema' not in told or 'tally' not in told:
            raise ValueError('Report.from_json(): no report of gsort')
        if told['schema'] != SCHEMA:
            raise ValueError(f"Report.from_json(): a report of schema {told['schema']!r}, of another version of gsort; this one reads those of schema {SCHEMA}")
        return cls(told)

    @classmethod
    def taken(cls, pointer: Optional[int], times: Mapping[int, np.dtype[Any]]) -> Report:
        """What gs_job_take_report gave, which takes longer to read than a few numbers to sort: so it is read when it is looked into."""
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
        """Of a sort on a cluster (libgsort.ray) how it went: seconds of each step, nodes, maps, parts, tasks that were started
        again, bytes between nodes; of others nothing."""
        told: Mapping[str, Any] = self.details.get('ray', {})
        return told

    def plot(self, path: str) -> None:
        """Draws phases over time and memory into `path`, which ends in .svg or .png, by matplotlib."""
        from .plot import plot
        plot(self, path)

    @property
    def bytes_per_second(self) -> float:
        """Of input."""
        return self.input_bytes / self.seconds if self.seconds > 0 else 0.0


def _number(text: str, is_float: bool) -> Any:
    """The report does not say which fields of records are floats, so a whole number becomes an int. Other text is a time."""
    for kind in (float,) if is_float else (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    import numpy as np
    return np.datetime64(text)


def _real(text: str, is_float: bool) -> Any:
    return _number(text, True)


VALUES = {'Number': _number, 'Sum': _number, 'Mean': _real, 'Deviation': _real}


def time_dtype(word: str) -> Optional[np.dtype[Any]]:
    """The dtype for the library's name of times with a unit, such as 'time64[ms]'; None: it is no such name."""
    import numpy as np
    return np.dtype(f"M8{word[word.index('['):].removesuffix('be')}") if word.startswith('time64[') else None


def _as_time(kind: str, text: str, time: np.dtype[Any]) -> Any:
    """A time from a number of units, which may be a fraction, or from text such as '2020-01-01'."""
    import numpy as np
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
