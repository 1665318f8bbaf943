"""Describes the elements and their order: as options of gsort, and by sorting a few elements in
memory with gsort."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Tuple

import numpy as np
import numpy.typing as npt

import libgsort as gs

from ..layout import layout_of, numpy_dtype

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """The elements and their order. type: of numbers, or 'record'; keys: 'OFF:TYPE[:desc]' of
    records"""

    type: str
    element_bytes: int
    keys: Tuple[str, ...]
    reverse: bool

    @classmethod
    def of_report(cls, report: Any, dtype: Any = None) -> Order:
        """Returns the order of the elements in a report of gsort. dtype: of .npy files, whose keys
        are names of fields"""
        type_, keys = report['type'], tuple(report.get('keys') or ())
        if dtype is not None and type_ == 'record':
            keys = tuple(layout_of(dtype, keys).key)
        return cls(type_, report['element_bytes'], keys, report['reverse'])

    @property
    def options(self) -> Tuple[str, ...]:
        """The options of gsort for plain data. With --raw, the names of files have no effect."""
        if self.type != 'record':
            kind: Tuple[str, ...] = ('-t', self.type)
        else:
            kind = ('-R', str(self.element_bytes),
                    *(word for key in self.keys for word in ('-k', key)))
        return (*kind, '--raw', *(('-r',) if self.reverse else ()))

    def of_groups(self, keys: int) -> Order:
        """Returns the order by only the first `keys` keys, which define groups. 0: by all keys"""
        return replace(self, keys=self.keys[:keys] if keys else self.keys)

    @property
    def falls(self) -> bool:
        return self.reverse != (bool(self.keys) and self.keys[0].endswith(':desc'))

    def argsort(self, elements: bytes) -> npt.NDArray[np.intp]:
        """Returns the positions of elements in sorted order: by key, then by position."""
        if self.type != 'record':
            dtype = numpy_dtype(self.type)
            if layout_of(dtype).type == self.type:
                return gs.argsort(np.frombuffer(elements, dtype), reverse=self.reverse,
                                  device='cpu', memory='256M')
        keys = self.keys if self.type == 'record' else (f'0:{self.type}',)
        return gs.argsort(np.frombuffer(elements, f'V{self.element_bytes}'), by=keys or None,
                          reverse=self.reverse, device='cpu', memory='1G')
