"""Defines the names in annotations, so that typing.get_type_hints finds them at run time. NumPy is
imported at its first use."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ForwardRef, Optional, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer, Unpack

    Array = npt.NDArray[Any]
    DType = Optional[npt.DTypeLike]
else:
    class _Module:
        """Imports a module at the first access to one of its names, and keeps each name."""

        def __init__(self, name):
            self._name = name

        def __getattr__(self, name):
            from importlib import import_module
            value = getattr(import_module(self._name), name)
            setattr(self, name, value)
            return value

    np, npt = _Module('numpy'), _Module('numpy.typing')
    Array = ForwardRef('npt.NDArray[Any]')
    DType = ForwardRef('npt.DTypeLike')
    if sys.version_info >= (3, 12):
        from collections.abc import Buffer
    else:
        Buffer = Any
    if sys.version_info >= (3, 11):
        from typing import Unpack
    else:
        class Unpack:
            def __class_getitem__(cls, options):
                return options

Scalar = TypeVar('Scalar', bound='np.generic')

__all__ = ['Any', 'Array', 'Buffer', 'DType', 'Scalar', 'Unpack', 'np', 'npt']
