"""libgsort: sorts arrays, tables and files that may be larger than memory, and verifies each
result.

    import libgsort as gs
    gs.sort(a)                                     # an ndarray or memmap, in place
    gs.sort_file('in.f64', 'out.f64', memory='2G')

NumPy and other slow imports are loaded at their first use.
"""
from . import cuda
from ._c import version
from ._options import Device, MemoryAndDisk, Reports, Tuning, WhatToSort, WhatToWrite
from .any_table import TableReport, sort_parquet, sort_table
from .arrays import argsort, sort
from .cancel import Cancel
from .copies import sorted  # noqa: F401  # not in __all__, because Python has sorted()
from .errors import (CanceledError, CorruptError, DeviceError, DisorderError, Error, FileError,
                     InputError, InputFileError,
                     InternalError, NoteWarning, OutOfMemoryError, SpaceError, UsageError,
                     VerifyError)
from .files import check, find, merge, shuffle_file, sort_file, stats, top
from .job import ArrayOptions, Options
from .progress import Progress
from .report import Bin, Disorder, Field, Phase, Quantile, Report
from .sorter import Sorter
from .table import options

__version__ = version()
__all__ = ['ArrayOptions', 'Bin', 'Cancel', 'CanceledError', 'CorruptError', 'Device',
           'DeviceError', 'Disorder', 'DisorderError', 'Error', 'Field',
           'FileError', 'InputError', 'InputFileError', 'InternalError', 'MemoryAndDisk',
           'NoteWarning', 'Options', 'OutOfMemoryError',
           'Phase', 'Progress', 'Quantile', 'Report', 'Reports', 'Sorter', 'SpaceError',
           'TableReport', 'Tuning', 'UsageError', 'VerifyError',
           'WhatToSort', 'WhatToWrite', 'argsort', 'check', 'cuda', 'find', 'merge', 'options',
           'shuffle_file', 'sort', 'sort_file', 'sort_parquet', 'sort_table',
           'stats', 'top', 'version']
