"""Loads libgsort.so.0 by ctypes: declares its calls and the structs of callbacks, and raises its
errors.

Jobs and reports are opaque (job.py, report.py). tests/python compares this file with src/gsort.h.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (POINTER, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint32,
                    c_uint64, c_void_p)
from typing import Collection, Optional

NAME = 'libgsort.so.0'
(ACTION_SORT, ACTION_STATS, ACTION_CHECK, ACTION_EXPLAIN, ACTION_LOOK, ACTION_FIND,
 ACTION_CHECK_ALL) = range(7)
(FORMAT_TEXT, FORMAT_JSON, FORMAT_PLAN_TEXT, FORMAT_PLAN_JSON,
 FORMAT_CSV, FORMAT_JSON_LINES) = range(6)  # enum gs_format
FOUND_INEXACT = 3  # enum gs_found
OF_BOTH, OF_PROGRAM, OF_JOBS = range(3)  # enum gs_option_place


class CError(ctypes.Structure):
    _fields_ = [('status', c_int), ('sys_errno', c_int), ('text', c_char * 1024)]


class CProgress(ctypes.Structure):
    _fields_ = [('phase', c_int), ('bytes_done', c_uint64), ('bytes_total', c_uint64),
                ('elapsed_ns', c_uint64),
                ('phase_ns', c_uint64), ('left_ns', c_uint64)]


class COption(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('letter', c_char), ('argument', c_char_p), ('group', c_char_p),
                ('help', c_char_p),
                ('manual', c_char_p), ('daily', c_char_p), ('alone', c_char_p), ('alias', c_char_p),
                ('choices', c_void_p), ('place', c_int),
                ('is_list', c_bool), ('is_split', c_bool), ('is_once', c_bool),
                ('is_hidden', c_bool)]


class CType(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('element_bytes', c_uint32), ('is_float', c_bool),
                ('is_signed', c_bool)]


WRITE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t, POINTER(CError))
STOP = ctypes.CFUNCTYPE(None, c_void_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, POINTER(CProgress))
NOTE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class CWriter(ctypes.Structure):
    _fields_ = [('write', WRITE), ('stop', STOP), ('context', c_void_p)]


# Struct of gsort.h -> its mirror.
MIRRORS = {'gs_error': CError, 'gs_progress': CProgress, 'gs_type': CType, 'gs_writer': CWriter,
           'gs_option': COption}

# Call -> the type of its result and of its arguments. Pointers that are only passed on are void
# pointers.
CALLS = {
    'gs_job_create': (c_void_p, []),
    'gs_job_free': (None, [c_void_p]),
    'gs_job_set': (c_int, [c_void_p, c_char_p, c_char_p]),
    'gs_job_add': (c_int, [c_void_p, c_char_p, c_char_p]),
    'gs_job_set_writer': (c_int, [c_void_p, c_char_p, POINTER(CWriter)]),
    'gs_job_set_progress': (c_int, [c_void_p, PROGRESS, c_void_p]),
    'gs_job_set_note': (c_int, [c_void_p, NOTE, c_void_p]),
    'gs_job_set_cancel': (c_int, [c_void_p, c_void_p]),
    'gs_job_run': (c_int, [c_void_p, c_int]),
    'gs_job_sort_array': (c_int, [c_void_p, c_void_p, c_uint64]),
    'gs_job_stats_array': (c_int, [c_void_p, c_void_p, c_uint64]),
    'gs_job_check_array': (c_int, [c_void_p, c_void_p, c_uint64]),
    'gs_job_argsort_array': (c_int, [c_void_p, c_void_p, c_uint64, c_void_p]),
    'gs_cuda_sort': (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, c_uint64]),
    'gs_cuda_argsort': (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, c_void_p,
                                c_uint64]),
    'gs_cuda_scratch_bytes': (c_int, [c_void_p, c_uint64, c_bool, POINTER(c_uint64)]),
    'gs_job_error': (POINTER(CError), [c_void_p]),
    'gs_job_report': (c_void_p, [c_void_p]),
    'gs_job_take_report': (c_void_p, [c_void_p]),
    'gs_option_at': (POINTER(COption), [c_size_t]),
    'gs_sorter_open': (c_void_p, [c_void_p, POINTER(CError)]),
    'gs_sorter_push': (c_int, [c_void_p, c_void_p, c_uint64, POINTER(CError)]),
    'gs_sorter_reserve': (c_int, [c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_uint64),
                                  POINTER(CError)]),
    'gs_sorter_commit': (c_int, [c_void_p, c_void_p, c_uint64, POINTER(CError)]),
    'gs_sorter_finish': (c_int, [c_void_p, POINTER(CError)]),
    'gs_sorter_pull': (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_uint64), POINTER(CError)]),
    'gs_sorter_rank': (c_int, [c_void_p, c_uint64, c_void_p, POINTER(CError)]),
    'gs_sorter_rank_of': (c_int, [c_void_p, c_void_p, POINTER(c_uint64), POINTER(c_uint64),
                                  POINTER(CError)]),
    'gs_sorter_report': (c_void_p, [c_void_p, POINTER(CError)]),
    'gs_sorter_close': (None, [c_void_p]),
    'gs_report_string': (c_void_p, [c_void_p, c_int]),
    'gs_report_create': (c_void_p, []),
    'gs_report_free': (None, [c_void_p]),
    'gs_report_set': (c_int, [c_void_p, c_char_p, c_char_p]),
    'gs_report_add': (c_int, [c_void_p, c_void_p, POINTER(CError)]),
    'gs_string_free': (None, [c_void_p]),
    'gs_version': (c_char_p, []),
    'gs_status_text': (c_char_p, [c_int]),
    'gs_status_exit_code': (c_int, [c_int]),
    'gs_cancel_create': (c_void_p, []),
    'gs_cancel_free': (None, [c_void_p]),
    'gs_cancel_now': (None, [c_void_p]),
    'gs_size_parse': (c_bool, [c_char_p, c_uint64, POINTER(c_uint64)]),
    'gs_type_find': (c_bool, [c_char_p, POINTER(CType)]),
    'gs_memory_available': (c_uint64, []),
    'gs_progress_draw': (None, [c_void_p, POINTER(CProgress)]),
    'gs_progress_erase': (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    """Loads the library: from $LIBGSORT_LIBRARY, or else from this package, or else from the
    system."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
    name = os.environ.get('LIBGSORT_LIBRARY') or (here if os.path.exists(here) else NAME)
    try:
        library = ctypes.CDLL(name)
        for call, (result, arguments) in CALLS.items():
            function = getattr(library, call)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f'libgsort: {error}; install the wheel, which contains the library, or '
                          f'set LIBGSORT_LIBRARY '
                          'to the file') from error
    return library


library = _load()


def version() -> str:
    """Returns the version of the library, such as '1.0.0'."""
    text: bytes = library.gs_version()
    return text.decode()


def parsed_size(text: bytes) -> Optional[int]:
    """Returns the bytes of a size: '4096', '1.5G', or '25%' of the available memory. None: it is
    not a size."""
    size = c_uint64()
    is_size = library.gs_size_parse(text, library.gs_memory_available(), ctypes.byref(size))
    return size.value if is_size else None


def raise_for(error: CError, given: Collection[str] = ()) -> None:
    """Raises the exception for `error`, if it is one. given: the keywords of the call."""
    if error.status != 0:
        import re

        from .errors import error_of
        from .keywords import in_keywords
        text = error.text.decode(errors='replace') or library.gs_status_text(error.status).decode()
        text = re.sub(r'gs_sorter_(\w+)', r'\1()', text)  # the name in Python
        raise error_of(error.status, error.sys_errno, in_keywords(text, given))


def report_json(report: object) -> str:
    text: Optional[int] = library.gs_report_string(report, FORMAT_JSON)
    if not text:
        raise MemoryError('no memory is left for the report')
    try:
        return ctypes.string_at(text).decode()
    finally:
        library.gs_string_free(text)
