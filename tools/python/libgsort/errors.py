"""Defines an exception for each status of the library. Its text is one line.

Each one is also a standard exception of Python where one fits, so `except FileNotFoundError` and
`except ValueError` catch them.
"""
from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, Dict, Optional, Tuple, Type

from .report import Disorder, Report


class Error(Exception):
    """A job failed: the base class of all errors of the library.

    status: the status of the library (enum gs_status), below 0
    report: the Report up to the failure, or None
    """

    status = 0
    # the text with options as on a command line, if str() has keywords instead
    as_typed: Optional[str] = None
    report: Optional[Report] = None
    kind: Optional[Type[Error]] = None  # of a class that _of_errno made: the class that it extends

    def __reduce__(self) -> Tuple[Any, ...]:
        of_file = getattr(self, 'errno', None), getattr(self, 'filename', None)
        return _again, (self.kind or type(self), *of_file, self.args), self.__dict__


class DisorderError(Error):
    """The input is not sorted.

    disorder: the place, and the two elements there
    """

    disorder: Optional[Disorder] = None


class UsageError(Error, ValueError):
    """An option is wrong, or options contradict each other."""


class InputError(Error, ValueError):
    """The input does not fit the options: its format or size is wrong, or an input of a merge is
    not sorted."""


class FileError(Error, OSError):
    """A file could not be read or written. By its errno it is also a FileNotFoundError, a
    PermissionError and so on.

    errno: the reason, as in OSError
    filename: the name of the file, or None if the text does not have the complete name
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ''


class InputFileError(InputError, FileError):
    """An input file cannot be opened or inspected. `errno` and `filename` are as in FileError."""


class SpaceError(FileError):
    """A file system has no space left."""


class OutOfMemoryError(Error, MemoryError):
    """Memory is not sufficient. If there is a sufficient amount, the text names it."""


class DeviceError(Error, RuntimeError):
    """The device that sorts, such as a GPU, failed."""


class CorruptError(Error, RuntimeError):
    """Temporary data were damaged on disk: they differ from what was written."""


class VerifyError(Error, RuntimeError):
    """The output was verified, and is not the sorted input."""


class CanceledError(Error):
    """A Cancel, or cancel() of a Sorter, ended the call. (Ctrl-C raises KeyboardInterrupt, as
    usual.)"""


class InternalError(Error, RuntimeError):
    """gsort has a bug; please report the text of the error."""


class ColumnError(TypeError):
    """A column does not have a fixed width. A Sorter catches this, and sorts the table as
    sort_table does."""


class NullsError(ValueError):
    """A column has nulls. A Sorter catches this, too."""


class NoteWarning(UserWarning):
    """A note of a call that succeeds, for example about a type that was assumed or bytes that were
    left out."""


STATUSES: Dict[int, Type[Error]] = {
    -1: DisorderError, -2: UsageError, -3: InputError, -4: FileError, -5: SpaceError,
    -6: OutOfMemoryError,
    -7: DeviceError, -8: CorruptError, -9: VerifyError, -10: CanceledError, -11: InternalError}
for _status, _kind in STATUSES.items():
    _kind.status = _status


MADE: Dict[Tuple[Type[Error], Type[OSError]], Type[Error]] = {}


def _of_errno(kind: Type[Error], number: int) -> Type[Error]:
    """Returns a subclass of `kind` that is also the OSError subclass of Python for this errno."""
    python = type(OSError(number, ''))
    if not issubclass(kind, OSError) or issubclass(kind, python):
        return kind
    if (kind, python) not in MADE:
        MADE[kind, python] = type(kind.__name__, (kind, python),
                                  {'__doc__': kind.__doc__, '__module__': kind.__module__,
                                   'kind': kind})
    return MADE[kind, python]


def _again(kind: Type[Error], number: Optional[int], filename: Optional[str],
           arguments: Tuple[Any, ...]) -> Error:
    error = (_of_errno(kind, number) if number else kind)(*arguments)
    if isinstance(error, OSError):
        error.errno, error.filename = number, filename
        error.strerror = os.strerror(number) if number else None
    return error


def _filename(text: str) -> Optional[str]:
    """Returns the file name at the start of a message of the library. None: there is none, or it
    was shortened or is not text."""
    name, quote, _ = text[1:].partition("': ")
    if not (text.startswith("'") and quote):
        return None
    return name if os.path.lexists(name) or not ('?' in name or '...' in name) else None


def file_error(number: int, text: str) -> Error:
    """Returns a FileError that Python code found, not the library. number: an errno, or 0 if there
    is none."""
    return _again(FileError, number or None, _filename(text), (text,))


def error_of(status: int, sys_errno: int, text: str) -> Error:
    kind = STATUSES.get(status, Error)
    error = _again(InputFileError if kind is InputError and sys_errno else kind, sys_errno or None,
                   _filename(text), (text,))
    error.status = status
    return error


def type_error(text: str) -> TypeError:
    """Returns a TypeError that names the call of the user: the outermost function of this package
    on the stack."""
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
    """Returns the stacklevel for warnings.warn of the line that called this package."""
    frame, level, here = sys._getframe(1), 1, os.path.dirname(__file__) + os.sep
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    return level
