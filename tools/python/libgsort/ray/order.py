"""What the elements are and how they are ordered: gsort's options for it, and gsort's own order of a few elements in memory."""
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
    """type: of numbers, else None; keys: 'OFF:TYPE[:desc]' of records."""

    type: str
    element_bytes: int
    keys: Tuple[str, ...]
    reverse: bool

    @classmethod
    def of_report(cls, report: Any, dtype: Any = None) -> Order:
        """dtype: of .npy files, whose keys are names."""
        type_, keys = report['type'], tuple(report.get('keys') or ())
        if dtype is not None and type_ == 'record':
            keys = tuple(layout_of(dtype, keys).key)
        return cls(type_, report['element_bytes'], keys, report['reverse'])

    @property
    def options(self) -> Tuple[str, ...]:
        """Of plain data, whatever names say."""
        if self.type != 'record':
            kind: Tuple[str, ...] = ('-t', self.type)
        else:
            kind = ('-R', str(self.element_bytes), *(word for key in self.keys for word in ('-k', key)))
        return (*kind, '--raw', *(('-r',) if self.reverse else ()))

    def of_groups(self, keys: int) -> Order:
        """Of so many keys; 0: all."""
        return replace(self, keys=self.keys[:keys] if keys else self.keys)

    @property
    def falls(self) -> bool:
        return self.reverse != (bool(self.keys) and self.keys[0].endswith(':desc'))

    def argsort(self, elements: bytes) -> npt.NDArray[np.uint64]:
        """The order of elements, stable: by key, then as they stand."""
        if self.type != 'record':
            dtype = numpy_dtype(self.type)
            if layout_of(dtype).type == self.type:
                return gs.argsort(np.frombuffer(elements, dtype), reverse=self.reverse, device='cpu', memory='256M')
        keys = self.keys if self.type == 'record' else (f'0:{self.type}',)
        return gs.argsort(np.frombuffer(elements, f'V{self.element_bytes}'), order=keys or None, reverse=self.reverse, device='cpu', memory='1G')
