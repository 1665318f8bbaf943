"""libgsort: sorts arrays, tables and files that may be larger than memory, and verifies each
result.

    import libgsort as gs
    gs.sort(a)                                     # an ndarray or memmap, in place
    gs.sort_file('in.f64', 'out.f64', memory='2G')

NumPy and other slow imports are loaded at their first use.
"""
from typing import List

from . import cuda
from ._c import version
from ._options import Device, MemoryAndDisk, Reports, Tuning, WhatToSort, WhatToWrite
from .arrays import argsort, sort
from .cancel import Cancel
from .errors import (CanceledError, CorruptError, DeviceError, DisorderError, Error, FileError,
                     InputError, InputFileError,
                     InternalError, NoteWarning, OutOfMemoryError, SpaceError, UsageError,
                     VerifyError)
from .files import check, find, is_sorted, merge, shuffle_file, sort_file, stats, top
from .job import ArrayOptions, Options, SortOptions
from .keywords import options
from .progress import Progress
from .report import Bin, Disorder, Field, Phase, Quantile, Report, TableReport
from .sorter import Sorter
from .tables import sort_parquet, sort_table
from .tables import sorted as sorted  # not in __all__, because Python has sorted()

__version__ = version()
__all__ = ['ArrayOptions', 'Bin', 'Cancel', 'CanceledError', 'CorruptError', 'Device',
           'DeviceError', 'Disorder', 'DisorderError', 'Error', 'Field',
           'FileError', 'InputError', 'InputFileError', 'InternalError', 'MemoryAndDisk',
           'NoteWarning', 'Options', 'OutOfMemoryError',
           'Phase', 'Progress', 'Quantile', 'Report', 'Reports', 'SortOptions', 'Sorter',
           'SpaceError',
           'TableReport', 'Tuning', 'UsageError', 'VerifyError',
           'WhatToSort', 'WhatToWrite', 'argsort', 'check', 'cuda', 'find', 'is_sorted',
           'merge', 'options',
           'shuffle_file', 'sort', 'sort_file', 'sort_parquet', 'sort_table',
           'stats', 'top', 'version']


def __dir__() -> List[str]:
    """Returns the names for users, for completion."""
    return [*__all__, 'sorted', *(name for name in globals() if name.startswith('__'))]
