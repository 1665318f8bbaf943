"""libgsort: sorts arrays and files of any size, larger than memory too, and checks its own result.

    import libgsort as gs
    gs.sort(a)                                     # an ndarray or memmap, in its place
    gs.sort_file('in.f64', 'out.f64', memory='2G')

NumPy is imported when an array is wanted, not before, and so is what else takes time.
"""
from ._c import version
from .arrays import argsort, sort
from .errors import (CanceledError, CorruptError, DeviceError, DisorderError, Error, FileError, InputError, InputFileError,
                     InternalError, NoteWarning, OutOfMemoryError, SpaceError, UsageError, VerifyError)
from .files import check, find, merge, sort_file, stats, top
from .sorter import Sorter
from .table import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .progress import Progress
    from .report import Disorder, Field, Phase, Quantile, Report

__version__ = version()
__all__ = ['CanceledError', 'CorruptError', 'DeviceError', 'Disorder', 'DisorderError', 'Error', 'Field', 'FileError',
           'InputError', 'InputFileError', 'InternalError', 'NoteWarning', 'OutOfMemoryError', 'Phase', 'Progress',
           'Quantile', 'Report', 'Sorter', 'SpaceError', 'UsageError', 'VerifyError', 'argsort', 'check', 'find',
           'merge', 'options', 'sort', 'sort_file', 'stats', 'top', 'version']

LATER = {'Progress': 'progress', 'Disorder': 'report', 'Field': 'report', 'Phase': 'report', 'Quantile': 'report',
         'Report': 'report'}


def __getattr__(name: str) -> object:
    if name not in LATER:
        raise AttributeError(f"module 'libgsort' has no attribute '{name}'")
    from importlib import import_module
    return getattr(import_module(f'.{LATER[name]}', 'libgsort'), name)
