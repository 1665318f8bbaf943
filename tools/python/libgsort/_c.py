"""libgsort.so.0 by ctypes: the structs of gsort.h that callers fill, its calls, and what they fail with.

Structs are laid out as src/gsort.h has them, and go with their sizes, so that a later library takes them, too. Reports are not
laid out here: they come as JSON. tests/python compares this file with the header.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from .errors import error_of

TYPE_CHECKING = False  # as that of typing, which takes 7 ms; checkers know the name
if TYPE_CHECKING:
    from typing import Optional, Union

    from .errors import Error

NAME = 'libgsort.so.0'
REPORT_BYTES = 1 << 17  # any size goes; struct gs_report has 72 KiB of them

KEEPS = ('first', 'last', 'singles', 'dups')  # enum gs_keep_choice
FORMAT_JSON, FOUND_INEXACT = 1, 3  # enum gs_format, gs_found
ACTION_SORT, ACTION_STATS, ACTION_CHECK, ACTION_EXPLAIN, ACTION_LOOK, ACTION_FIND = range(6)


class CError(ctypes.Structure):
    _fields_ = [('status', c_int), ('sys_errno', c_int), ('text', c_char * 1024)]


class CProgress(ctypes.Structure):
    _fields_ = [('phase', c_int), ('bytes_done', c_uint64), ('bytes_total', c_uint64), ('elapsed_ns', c_uint64),
                ('phase_ns', c_uint64), ('reserved', c_uint64 * 4)]


class CChoice(ctypes.Structure):
    _fields_ = [('word', c_char_p), ('value', c_int), ('number_min', c_uint32), ('number_max', c_uint32)]


class CType(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('element_bytes', c_uint32), ('is_float', c_bool), ('is_signed', c_bool),
                ('reserved', c_uint64 * 2)]


READ = ctypes.CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t, POINTER(CError))
WRITE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t, POINTER(CError))
STOP = ctypes.CFUNCTYPE(None, c_void_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, POINTER(CProgress))
NOTE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class CReader(ctypes.Structure):
    _fields_ = [('read', READ), ('stop', STOP), ('context', c_void_p), ('bytes', c_uint64), ('reserved', c_uint64 * 4)]


class CWriter(ctypes.Structure):
    _fields_ = [('write', WRITE), ('stop', STOP), ('context', c_void_p), ('reserved', c_uint64 * 4)]


class COptions(ctypes.Structure):
    _fields_ = [
        ('action', c_int), ('inputs', POINTER(c_char_p)), ('input_count', c_size_t), ('output', c_char_p),
        ('type', c_char_p), ('reverse', c_bool), ('merge', c_bool), ('record_bytes', c_uint32),
        ('keys', POINTER(c_char_p)), ('key_count', c_size_t), ('stats_fields', POINTER(c_char_p)),
        ('stats_field_count', c_size_t), ('has_top', c_bool), ('top_count', c_uint64), ('header_bytes', c_uint64),
        ('drop_tail', c_bool), ('raw', c_bool), ('unique', c_bool), ('unique_counts', c_bool), ('check_counts', c_bool),
        ('output_zstd_level', c_uint32), ('resume_dir', c_char_p), ('verify_read', c_bool), ('memory_bytes', c_uint64),
        ('memory_is_share', c_bool), ('thread_count', c_uint32), ('fan_in', c_uint32), ('temp_dirs', POINTER(c_char_p)),
        ('temp_dir_count', c_size_t), ('compress', c_int), ('compress_level', c_uint32), ('io', c_int), ('device', c_int),
        ('device_index', c_uint32), ('device_memory_bytes', c_uint64), ('chunk_bytes', c_uint64),
        ('window_bytes', c_uint64), ('spill_all', c_bool), ('progress', PROGRESS), ('progress_context', c_void_p),
        ('note', NOTE), ('note_context', c_void_p), ('cancel', c_void_p), ('readers', POINTER(CReader)),
        ('writer', POINTER(CWriter)), ('where', POINTER(c_char_p)), ('where_count', c_size_t),
        ('unique_keep', c_int), ('group_keys', c_uint32), ('quantiles', POINTER(c_char_p)), ('quantile_count', c_size_t),
        ('distinct', c_bool), ('mode', c_bool),
        ('sum_fields', POINTER(c_char_p)), ('sum_field_count', c_size_t), ('min_fields', POINTER(c_char_p)),
        ('min_field_count', c_size_t), ('max_fields', POINTER(c_char_p)), ('max_field_count', c_size_t),
        ('sum_wide', c_bool), ('range_first', c_uint64), ('range_count', c_uint64), ('part_number', c_uint32),
        ('part_count', c_uint32), ('has_range', c_bool), ('variance', c_bool),
        ('find', c_char_p), ('histogram_bins', c_uint32), ('into', c_bool),
        ('out_fields', POINTER(c_char_p)), ('out_field_count', c_size_t), ('index_bytes', c_uint32), ('argsort', c_bool),
        ('split_values', POINTER(c_char_p)), ('split_value_count', c_size_t), ('split_count', c_uint32),
        ('merge_set', c_int), ('device_set', c_uint64), ('device_model', c_void_p),
        ('values', POINTER(c_char_p)), ('value_count', c_size_t)]


# Struct of gsort.h -> its mirror; each reserved of these is zeros.
MIRRORS = {'gs_error': CError, 'gs_progress': CProgress, 'gs_choice': CChoice, 'gs_type': CType, 'gs_reader': CReader,
           'gs_writer': CWriter, 'gs_options': COptions}

# Call -> what it returns and takes. Pointers that are only passed on are void pointers.
CALLS = {
    'gs_run_sized': (c_int, [POINTER(COptions), c_size_t, c_void_p, c_size_t, POINTER(CError)]),
    'gs_sort_array_sized':
        (c_int, [c_void_p, c_uint64, POINTER(COptions), c_size_t, c_void_p, c_size_t, POINTER(CError)]),
    'gs_stats_array_sized':
        (c_int, [c_void_p, c_uint64, POINTER(COptions), c_size_t, c_void_p, c_size_t, POINTER(CError)]),
    'gs_check_array_sized':
        (c_int, [c_void_p, c_uint64, POINTER(COptions), c_size_t, c_void_p, c_size_t, POINTER(CError)]),
    'gs_argsort_array_sized':
        (c_int, [c_void_p, c_uint64, POINTER(COptions), c_size_t, c_void_p, c_void_p, c_size_t, POINTER(CError)]),
    'gs_sorter_open_sized': (c_int, [POINTER(COptions), c_size_t, POINTER(c_void_p), POINTER(CError)]),
    'gs_sorter_push': (c_int, [c_void_p, c_void_p, c_uint64, POINTER(CError)]),
    'gs_sorter_reserve': (c_int, [c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_uint64), POINTER(CError)]),
    'gs_sorter_commit': (c_int, [c_void_p, c_void_p, c_uint64, POINTER(CError)]),
    'gs_sorter_finish': (c_int, [c_void_p, POINTER(CError)]),
    'gs_sorter_pull': (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_uint64), POINTER(CError)]),
    'gs_sorter_rank': (c_int, [c_void_p, c_uint64, c_void_p, POINTER(CError)]),
    'gs_sorter_rank_of': (c_int, [c_void_p, c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(CError)]),
    'gs_sorter_report_sized': (c_int, [c_void_p, c_void_p, c_size_t, POINTER(CError)]),
    'gs_sorter_close': (None, [c_void_p]),
    'gs_report_string': (c_void_p, [c_void_p, c_int]),
    'gs_report_create': (c_void_p, []),
    'gs_report_free': (None, [c_void_p]),
    'gs_report_set': (c_int, [c_void_p, c_char_p, c_char_p]),
    'gs_report_add': (c_int, [c_void_p, c_void_p, POINTER(CError)]),
    'gs_string_free': (None, [c_void_p]),
    'gs_version': (c_char_p, []),
    'gs_status_text': (c_char_p, [c_int]),
    'gs_cancel_create': (c_void_p, []),
    'gs_cancel_free': (None, [c_void_p]),
    'gs_cancel_now': (None, [c_void_p]),
    'gs_size_parse': (c_bool, [c_char_p, c_uint64, POINTER(c_uint64)]),
    'gs_type_find': (c_bool, [c_char_p, POINTER(CType)]),
    'gs_memory_available': (c_uint64, []),
    'gs_device_choices': (POINTER(CChoice), []),
    'gs_set_choices': (POINTER(CChoice), []),
    'gs_io_choices': (POINTER(CChoice), []),
    'gs_compress_choices': (POINTER(CChoice), []),
    'gs_progress_draw': (None, [c_void_p, POINTER(CProgress)]),
    'gs_progress_erase': (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    """$LIBGSORT_LIBRARY, else the library that came with this package, else the system's."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
    name = os.environ.get('LIBGSORT_LIBRARY') or (here if os.path.exists(here) else NAME)
    try:
        library = ctypes.CDLL(name)
        for call, (result, arguments) in CALLS.items():
            function = getattr(library, call)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f'libgsort: {error}; a wheel brings the library along, and LIBGSORT_LIBRARY=FILE names another '
                          'one') from error
    return library


library = _load()


def version() -> str:
    """The library's, such as '0.1.0'."""
    text: bytes = library.gs_version()
    return text.decode()


def raise_for(status: int, error: CError) -> None:
    if status != 0:
        raise failure(status, error)


def failure(status: int, error: CError) -> Error:
    text = error.text.decode(errors='replace') or library.gs_status_text(status).decode()
    return error_of(status, error.sys_errno, text)


def report_json(report: Union[ctypes.Array[c_char], int]) -> str:
    text: Optional[int] = library.gs_report_string(report, FORMAT_JSON)
    if not text:
        raise MemoryError('a report')
    try:
        return ctypes.string_at(text).decode()
    finally:
        library.gs_string_free(text)
