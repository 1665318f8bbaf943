"""What a job found and did: the library's JSON, in which every number is exact, with attributes."""
from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Tuple, Union

from . import _c

Number = Union[int, float]

# Reports that nobody has looked into yet are the library's, 0.1 MB each; so these are the last ones.
_unread: deque[weakref.ref[Report]] = deque()
UNREAD_MOST = 16
_reading = threading.RLock()  # a report is looked into by one thread while it is the oldest one, which is read, in another
os.register_at_fork(before=_reading.acquire, after_in_parent=_reading.release, after_in_child=_reading.release)

SCHEMA = 2  # of the JSON whose names are below


class _Taken:
    """A report of the library's, which is given back with this."""

    __slots__ = ('pointer',)

    def __init__(self, pointer: Optional[int]) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        _c.library.gs_report_free(self.pointer)


class Told:
    """Attributes, by their annotations, of what JSON says in `details`; each is made when it is asked for."""

    OF: Mapping[str, str] = {}  # attribute -> its path, where that is not its name
    details: Mapping[str, Any]

    def __init__(self, details: Mapping[str, Any], is_float: bool = False) -> None:
        self.details, self._is_float = details, details.get('is_float', is_float)

    if not TYPE_CHECKING:  # who knows the annotations
        def __getattr__(self, name: str) -> Any:
            if name in ('details', '_is_float') and isinstance(self, Report):
                self._read()
                if name in self.__dict__:
                    return self.__dict__[name]
            if name not in type(self).__annotations__:
                raise AttributeError(f"a {type(self).__name__} has no '{name}'")
            value: Any = self.details
            for part in self.OF.get(name, name).split('.'):
                value = value.get(part)
            setattr(self, name, _made(type(self).__annotations__[name], value, self._is_float))
            return getattr(self, name)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *type(self).__annotations__]

    def __repr__(self) -> str:
        """What is there; of a job without its phases, for a prompt shows it behind each call."""
        told = {name: getattr(self, name) for name in type(self).__annotations__ if name != 'phases'}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in told.items() if value not in (None, ()))})"


class Phase(Told):
    """A part of a job's time: 'read', 'merge_runs', 'write' or 'read_back'. Sizes are bytes."""

    name: str
    seconds: float
    bytes_read: int
    bytes_written: int
    io_busy_seconds: float  # of `seconds`, while a transfer to or from a file was under way


class Field(Told):
    """Statistics of a field of records; NaNs are ignored by min and max, and counted."""

    OF = {'name': 'field'}
    name: str
    count: int
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Number]
    nan_count: int


class Quantile(Told):
    """`p` as it was asked for; `value` is the element of rank ceil(p n), `between` as numpy.quantile has it by default."""

    p: str
    rank: int
    value: Number
    between: float


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
    floats is that of all elements, rounded once. What was not asked for is None, or empty: mean, variance and deviation come with
    variance=True, distinct_count with distinct=True, quantiles, histogram and mode with options of these names. `details` is the whole
    report as the library's JSON has it.
    """

    OF = {name: f'tally.{name}' for name in ('count', 'min', 'max', 'sum', 'nan_count', 'mean', 'variance', 'deviation', 'fingerprint')}
    count: int
    type: Optional[str]
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Number]
    nan_count: int
    seconds: float
    input_bytes: int
    output_bytes: int
    unique_count: Optional[int]
    duplicate_count: Optional[int]
    mean: Optional[float]
    variance: Optional[float]
    deviation: Optional[float]
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
    def taken(cls, pointer: Optional[int]) -> Report:
        """What gs_job_take_report gave, which takes longer to read than a few numbers to sort: so it is read when it is looked into."""
        report = cls.__new__(cls)
        report.__dict__['_taken'] = _Taken(pointer)
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
                Told.__init__(self, json.loads(_c.report_json(taken.pointer)))
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


def _made(kind: str, value: Any, is_float: bool) -> Any:
    """As an annotation says."""
    if kind.startswith('Optional['):
        return None if value is None else _made(kind[len('Optional['):-1], value, is_float)
    if kind.startswith('Tuple['):
        return tuple(_made(kind[len('Tuple['):-len(', ...]')], row, is_float) for row in value or ())
    if kind in ('int', 'float'):
        return int(value or 0) if kind == 'int' else float(value)
    return value if kind == 'str' else _number(value, is_float) if kind == 'Number' else globals()[kind](value, is_float)


def _number(text: str, is_float: bool) -> Number:
    """Of records the report does not say whether it is a float; a whole one is an int then."""
    try:
        return float(text) if is_float else int(text)
    except ValueError:
        return float(text)
