"""What goes wrong: an exception for each status of the library, with its one line of text.

Each is also the exception that Python has for such a thing, so that `except OSError` and `except ValueError` catch them.
"""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Optional, Type

    from .report import Disorder, Report


class Error(Exception):
    """A job failed. `status` is the library's, below 0; `report` is filled as far as the job came, or None."""

    status = 0
    report: Optional[Report] = None


class DisorderError(Error):
    """The input is not sorted; `disorder` says where, and what stands there."""

    disorder: Optional[Disorder] = None


class UsageError(Error, ValueError):
    """An option is wrong."""


class InputError(Error, ValueError):
    """The input is not what was asked for."""


class FileError(Error, OSError):
    """A file could not be read or written; `errno` says why."""


class InputFileError(InputError, FileError):
    """An input cannot be opened or asked; `errno` says why."""


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


class NoteWarning(UserWarning):
    """What is worth knowing though nothing failed: a type that was assumed, bytes that were left out."""


STATUSES: Dict[int, Type[Error]] = {
    -1: DisorderError, -2: UsageError, -3: InputError, -4: FileError, -5: SpaceError, -6: OutOfMemoryError,
    -7: DeviceError, -8: CorruptError, -9: VerifyError, -10: CanceledError}


def error_of(status: int, sys_errno: int, text: str) -> Error:
    kind = STATUSES.get(status, Error)
    error = InputFileError(text) if kind is InputError and sys_errno else kind(text)
    error.status = status
    if isinstance(error, OSError):
        error.errno = sys_errno or None
    return error
