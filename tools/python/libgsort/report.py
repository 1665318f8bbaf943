"""What a job found and did, as dataclasses made of the library's JSON, in which every number is exact."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Union

Number = Union[int, float]


@dataclass(frozen=True)
class Phase:
    """A part of a job's time: 'read', 'merge_runs', 'write' or 'read_back'. Sizes are bytes."""

    name: str
    seconds: float
    bytes_read: int
    bytes_written: int
    io_busy_seconds: float  # of `seconds`, while a transfer to or from a file was under way


@dataclass(frozen=True)
class Field:
    """Statistics of a field of records; NaNs are ignored by min and max, and counted."""

    name: str
    count: int
    min: Optional[Number]
    max: Optional[Number]
    sum: Optional[Number]
    nan_count: int


@dataclass(frozen=True)
class Quantile:
    """`p` as it was asked for; `value` is the element of rank ceil(p n), `between` as numpy.quantile has it by default."""

    p: str
    rank: int
    value: Number
    between: float


@dataclass(frozen=True)
class Bin:
    """`count` values from `start` on, up to that of the next bin; the last bin ends with the greatest value."""

    start: Number
    count: int


@dataclass(frozen=True)
class Disorder:
    """The first element that is smaller than the one before it; `index` counts from 0."""

    index: int
    before: str
    after: str
    details: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Report:
    """What became of a job. Sizes are bytes, times seconds, counts are of elements.

    min, max and sum are of numbers, exact; of records, look into `fields`. Integers are int, floats are float. A sum of
    floats is that of all elements, rounded once. `details` is the whole report as the library's JSON has it.
    """

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
    details: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def bytes_per_second(self) -> float:
        """Of input."""
        return self.input_bytes / self.seconds if self.seconds > 0 else 0.0

    @classmethod
    def from_json(cls, text: str) -> Report:
        told: Dict[str, Any] = json.loads(text)
        tally = told['tally']
        numbers = _numbers(tally, told['is_float']) if 'sum' in tally else {'min': None, 'max': None, 'sum': None}
        disorder = told.get('disorder')
        return cls(
            count=int(tally['count']), type=told['type'], **numbers, nan_count=int(tally.get('nan_count', 0)),
            seconds=float(told['seconds']), input_bytes=int(told['input_bytes'] or 0),
            output_bytes=int(told['output_bytes'] or 0), unique_count=_integer(told['unique_count']),
            duplicate_count=_integer(told['duplicate_count']),
            quantiles=tuple(Quantile(p=row['p'], rank=int(row['rank']), value=_value(row['value'], told['is_float']),
                                     between=float(row['between'])) for row in told.get('quantiles') or ()),
            histogram=tuple(Bin(start=_value(row['from'], told['is_float']), count=int(row['count'])) for row in told['histogram']),
            mean=_float(tally.get('mean')), variance=_float(tally.get('variance')), deviation=_float(tally.get('deviation')),
            distinct_count=_integer(told.get('distinct_count')), mode_count=_integer(told.get('mode_count')),
            mode=None if told.get('mode') is None else _value(told['mode'], told['is_float']), spilled_bytes=int(told['spilled_bytes']),
            memory_peak_bytes=int(told['memory_peak_bytes']), device=told['device'], engine=told['engine'],
            fingerprint=tally['fingerprint'],
            fields=tuple(Field(name=row['field'], count=int(row['count']), nan_count=int(row['nan_count']),
                               **_numbers(row, row['is_float'])) for row in told.get('fields', ())),
            phases=tuple(Phase(name=row['name'], seconds=float(row['seconds']), bytes_read=int(row['bytes_read']),
                               bytes_written=int(row['bytes_written']), io_busy_seconds=float(row['io_busy_seconds']))
                         for row in told['phases']),
            disorder=None if disorder is None else Disorder(
                index=int(disorder['index']), before=disorder['before'], after=disorder['after'], details=disorder),
            details=told)


def _integer(value: Union[int, str, None]) -> Optional[int]:
    return None if value is None else int(value)


def _float(value: Optional[str]) -> Optional[float]:
    return None if value is None else float(value)


def _value(text: str, is_float: bool) -> Number:
    """Of records the report does not say whether it is a float; a whole one is an int then."""
    try:
        return float(text) if is_float else int(text)
    except ValueError:
        return float(text)


def _numbers(row: Mapping[str, Any], is_float: bool) -> Dict[str, Optional[Number]]:
    number = float if is_float else int
    return {name: None if row[name] is None else number(row[name]) for name in ('min', 'max', 'sum')}
