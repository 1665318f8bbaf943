"""What goes wrong: an exception for each status of the library, with its one line of text.

Each is also the exception that Python has for such a thing, so that `except FileNotFoundError` and `except ValueError` catch them.
"""
from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, Dict, Optional, Tuple, Type

from .report import Disorder, Report


class Error(Exception):
    """A job failed. `status` is the library's, below 0; `report` is filled as far as the job came, or None."""

    status = 0
    report: Optional[Report] = None
    kind: Optional[Type[Error]] = None  # of one that is also Python's for its errno: what it is here

    def __reduce__(self) -> Tuple[Any, ...]:
        of_file = getattr(self, 'errno', None), getattr(self, 'filename', None)
        return _again, (self.kind or type(self), *of_file, self.args), self.__dict__


class DisorderError(Error):
    """The input is not sorted; `disorder` says where, and what stands there."""

    disorder: Optional[Disorder] = None


class UsageError(Error, ValueError):
    """An option is wrong."""


class InputError(Error, ValueError):
    """The input is not what was asked for."""


class FileError(Error, OSError):
    """A file could not be read or written; `errno` says why, and it is also a FileNotFoundError, PermissionError, .. by that.
    `filename` is its name, as far as the text has it whole."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ''


class InputFileError(InputError, FileError):
    """An input cannot be opened or asked; `errno` and `filename` say why and which, as of a FileError."""


class SpaceError(FileError):
    """No space is left on a file system."""


class OutOfMemoryError(Error, MemoryError):
    """The memory is too little; the text names an amount that is enough, where there is one."""


class DeviceError(Error, RuntimeError):
    """The sorting device failed."""


class CorruptError(Error, RuntimeError):
    """Temporary data came back damaged."""


class VerifyError(Error, RuntimeError):
    """The output does not hold what was read, in order."""


class CanceledError(Error):
    """Another thread canceled it. (Ctrl-C raises KeyboardInterrupt, as ever.)"""


class InternalError(Error, RuntimeError):
    """A fault of gsort's own; please report its line."""


class ColumnError(TypeError):
    """A column that is not of a fixed width: not a Sorter's error, which has another sort for it."""


class NullsError(ValueError):
    """The same of nulls."""


class NoteWarning(UserWarning):
    """What is worth knowing though nothing failed: a type that was assumed, bytes that were left out."""


STATUSES: Dict[int, Type[Error]] = {
    -1: DisorderError, -2: UsageError, -3: InputError, -4: FileError, -5: SpaceError, -6: OutOfMemoryError,
    -7: DeviceError, -8: CorruptError, -9: VerifyError, -10: CanceledError, -11: InternalError}


MADE: Dict[Tuple[Type[Error], Type[OSError]], Type[Error]] = {}


def _of_errno(kind: Type[Error], number: int) -> Type[Error]:
    """Also what Python's OSError is for such a number."""
    python = type(OSError(number, ''))
    if not issubclass(kind, OSError) or issubclass(kind, python):
        return kind
    if (kind, python) not in MADE:
        MADE[kind, python] = type(kind.__name__, (kind, python), {'__doc__': kind.__doc__, '__module__': kind.__module__, 'kind': kind})
    return MADE[kind, python]


def _again(kind: Type[Error], number: Optional[int], filename: Optional[str], arguments: Tuple[Any, ...]) -> Error:
    error = (_of_errno(kind, number) if number else kind)(*arguments)
    if isinstance(error, OSError):
        error.errno, error.filename = number, filename
        error.strerror = os.strerror(number) if number else None
    return error


def _filename(text: str) -> Optional[str]:
    """That which a line of the library begins with; None: it has none, or it was shortened, or had bytes that are no text."""
    name, quote, _ = text[1:].partition("': ")
    if not (text.startswith("'") and quote):
        return None
    return name if os.path.lexists(name) or not ('?' in name or '...' in name) else None


def file_error(number: int, text: str) -> Error:
    """Of a file that the library has not looked at; 0: no number of the system's says why."""
    return _again(FileError, number or None, _filename(text), (text,))


def error_of(status: int, sys_errno: int, text: str) -> Error:
    kind = STATUSES.get(status, Error)
    error = _again(InputFileError if kind is InputError and sys_errno else kind, sys_errno or None, _filename(text), (text,))
    error.status = status
    return error


def type_error(text: str) -> TypeError:
    """With the name of the call of this package that is at fault: the outermost on the stack, as its user knows it."""
    here = os.path.dirname(__file__) + os.sep
    frame: Optional[FrameType] = sys._getframe(1)
    name, owner = '', None
    while frame is not None and frame.f_code.co_filename.startswith(here):
        name, owner = frame.f_code.co_name, frame.f_locals.get('self')
        frame = frame.f_back
    if owner is not None:
        name = type(owner).__name__ if name == '__init__' else f'{type(owner).__name__}.{name}'
    return TypeError(f'{name}(): {text}' if name.isidentifier() or '.' in name else text)


def level_of_caller() -> int:
    """For warnings.warn: the line that called this package."""
    frame, level, here = sys._getframe(1), 1, os.path.dirname(__file__) + os.sep
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    return level
