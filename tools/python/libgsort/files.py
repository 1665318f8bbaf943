"""Files of any size: sorted, merged, counted, checked; their first elements."""
from __future__ import annotations

import ctypes
import os
from typing import Any, List, Optional, Sequence, Type, Union, overload

from . import _c
from ._hints import Array, Buffer, Scalar, Unpack, np, npt
from .arrays import array_of, look_at
from .errors import UsageError, type_error
from .job import Job, Options
from .layout import Keys, Layout, key_list, layout_by, layout_of, numpy_dtype
from .report import Report, time_dtype
from .resident import released
from .table import Path, is_true, row_of, texts_of

Paths = Union[Path, Sequence[Path]]


def layout_of_files(dtype: Any, key: Keys) -> Layout:
    """dtype: None, or as of layout_by."""
    if dtype is not None:
        return layout_by(dtype, key)
    # Names of fields in a .npy header, which the library looks up.
    named = [text[1:] + ':desc' if text.startswith('-') else text for text in key_list(key)]
    return Layout(None, None, 0, named)


def _job(inputs: Any, dtype: Any, options: Any) -> Job:
    layout = layout_of_files(dtype, options.pop('key', None))
    job = Job(options)
    layout.put(job)
    job.set('input', inputs)
    if 'input' not in job.given:
        raise UsageError('no input is given')
    return job


def _run(job: Job, action: int) -> Report:
    return job.run(_c.library.gs_job_run, action)


def sort_file(inputs: Paths, output: Path, *, dtype: Any = None, **options: Unpack[Options]) -> Report:
    """Sorts files into one, which appears whole or not at all; it may be one of the inputs.

    inputs: one or several; plain, packed by zstd, or .npy
    dtype: as numpy.dtype takes it, so 'u8' has 8 bytes; or what NumPy does not know, and the library does: 'f64', 'u16be', 'u128'. A
        structured one is sorted by its fields. Default: `type` or `record`, else what the .npy header or the file's name says (x.f64),
        else u64, and a warning says so
    options: those of the program gsort by their names, with _ for -: memory='2G', reverse=True, top=10, resume='DIR', ..:
        libgsort.options() says what they mean
        key: fields, the first decides first; '-name' descending; or 'OFF:TYPE[:desc]'. Default: all of them
        where: conditions that elements have to meet, all of them: '>=0', of records '8:f64>0', of .npy files 'price>0'
        split, split_at: several files, `output` being a pattern as 'out.%03d'
    """
    return _write(_job(inputs, dtype, options), output)


def merge(inputs: Paths, output: Optional[Path] = None, *, dtype: Any = None, **options: Unpack[Options]) -> Report:
    """Merges files that are sorted already, in one pass; what is not sorted is an InputError that names the place.

    dtype, options: as of sort_file. Of a merge there are
        merge: which elements stay: 'all', 'union', 'intersect', 'except', 'semi', 'anti'; by keys, with unique each once
        find: only what is between values: 'LO..HI' with both ends, 'LO..', '..HI' or 'VALUE'; of records by the first key
        part: 'I/N': only the I-th of N equal parts of the output, from 1 on
        into: instead of `output`, a file with room for all parts, of which this one is written at its place
    """
    if output is None and options.get('into') is None:
        raise type_error('neither output nor into is given')
    options.setdefault('merge', True)
    return _write(_job(inputs, dtype, options), output)


def find(inputs: Paths, value: Union[str, float], *, dtype: Any = None, **options: Unpack[Options]) -> slice:
    """Where a value, or all from one to another ('LO..HI'), is in a sorted file; a few blocks of it are read.

    value: text, or a number: a float stands for what it is exactly, not for its shortest text; a numpy.datetime64 where the type has a
        unit, as 'time64[ns]' has
    Other arguments are those of merge. Of several files it is where they begin in the first, and how many are in all.
    """
    job = _job(inputs, dtype, options)
    job.set('find', value)
    found = _run(job, _c.ACTION_FIND).details['find']
    return slice(int(found['first']), int(found['first']) + int(found['count']))


def _write(job: Job, output: Optional[Path]) -> Report:
    job.set('output', output)
    return _run(job, _c.ACTION_SORT)


def _is_path(x: Any) -> bool:
    """A path or a list of them; all else is an array."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(_is_path, x))
    return isinstance(x, (str, bytes, os.PathLike))


def _refuse_dtype(dtype: Any) -> None:
    if dtype is not None:
        raise type_error('dtype is for files; an array has its own, and a.view(dtype) another one')


def stats(x: Union[Paths, Array, Buffer], *, dtype: Any = None, **options: Unpack[Options]) -> Report:
    """Count, minimum, maximum, exact sum and NaNs, in one pass.

    x: a file or several, or an array of shape (n,); bytes are a file's name, and a memoryview of them is an array
    dtype, options: as of sort_file; stats_of: fields of records, those that get statistics: 'OFF:TYPE'; default the first key that
        is a number; quantiles, histogram: all is read up to three times for them
    """
    if not _is_path(x):
        _refuse_dtype(dtype)
        return look_at('gs_job_stats_array', x, options.pop('key', None), options)
    return _run(_job(x, dtype, options), _c.ACTION_STATS)


def check(x: Union[Paths, Array, Buffer], *, dtype: Any = None, **options: Unpack[Options]) -> Report:
    """Whether it is sorted: raises a DisorderError at the first element that is smaller than the one before it.

    x: a file or several, or an array of shape (n,); bytes are a file's name, and a memoryview of them is an array
    dtype, options: as of sort_file; unique: equal keys are disorder, too
    """
    if not _is_path(x):
        _refuse_dtype(dtype)
        return look_at('gs_job_check_array', x, options.pop('key', None), options)
    return _run(_job(x, dtype, options), _c.ACTION_CHECK if is_true(options.get('unique')) else _c.ACTION_CHECK_ALL)


@overload
def top(x: npt.NDArray[Scalar], k: int, **options: Unpack[Options]) -> npt.NDArray[Scalar]: ...
@overload
def top(x: Paths, k: int, *, dtype: Union[np.dtype[Scalar], Type[Scalar]], **options: Unpack[Options]) -> npt.NDArray[Scalar]: ...
@overload
def top(x: Union[Paths, Array, Buffer], k: int, *, dtype: Any = None, **options: Unpack[Options]) -> Array: ...


def top(x: Union[Paths, Array, Buffer], k: int, *, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """The first k elements in order, as a new array of shape (k,) or less; the others are not sorted.

    x: as of stats; an array stays as it is
    dtype, options: as of sort_file, but for those that write something else than elements (count, out, zstd, ..); reverse:
        the largest ones, the largest first. The array has this dtype, or else that which the file says
    """
    import numpy as np
    pieces: List[bytes] = []
    _refuse_for_top(options)
    if _is_path(x):
        report = _run_top(_job(x, dtype, options), pieces, k)
        written = bytearray(b''.join(pieces))
        if len(written) > report.output_bytes:  # a .npy header says it
            from io import BytesIO
            return np.load(BytesIO(written))  # type: ignore[no-any-return]
        if dtype is not None:
            return np.frombuffer(written, dtype=layout_by(dtype).dtype)
        if report.type == 'record':
            return np.frombuffer(written, dtype=f"V{report.details['element_bytes']}")
        word = report.type or ''
        return np.frombuffer(written, dtype=time_dtype(word) or numpy_dtype(word))
    _refuse_dtype(dtype)
    array = np.ascontiguousarray(array_of(x))
    layout = layout_of(array.dtype, options.pop('key', None))
    job = Job({'raw': True, **options})
    layout.put(job)
    job.check(_c.library.gs_job_add_reader(job.pointer, b'array', _reader(job, array)))
    with released(job.keep(array)):
        _run_top(job, pieces, k)
    return np.frombuffer(bytearray(b''.join(pieces)), dtype=array.dtype)


OTHER_OUTPUT = 'count', 'sum', 'sum_wide', 'out', 'out_order', 'zstd', 'argsort', 'values'  # sum: only what ends in :wide


def _refuse_for_top(options: Any) -> None:
    """What would be read as elements, and is none."""
    for name in OTHER_OUTPUT:
        row, given = row_of(name), options.get(name)
        texts = [] if given is None else texts_of(row, given)
        if row.is_list:
            options[name] = texts  # what was given may be read but once
        if any(text.endswith(b':wide') if name == 'sum' else text != b'false' for text in texts):
            what = 'sum=OFF:TYPE:wide' if name == 'sum' else name
            raise UsageError(f'{what} does not go with top(): it writes something else than elements; '
                             'sort_file() has it, with top=K')
    if options.get('header') not in (None, 0, '0'):
        options['drop_header'] = True


def _run_top(job: Job, pieces: List[bytes], k: int) -> Report:
    def write(_: Any, data: int, length: int, error: Any) -> bool:
        pieces.append(ctypes.string_at(data, length))
        return True

    job.set('top', k)
    job.check(_c.library.gs_job_set_writer(job.pointer, b'array', _c.CWriter(write=job.keep(_c.WRITE(write)))))
    return _run(job, _c.ACTION_SORT)


def _reader(job: Job, array: Array) -> _c.CReader:
    """Gives an array as a file of its size."""
    memcpy = ctypes.CDLL(None).memcpy  # without the GIL, which ctypes.memmove holds
    memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    begin, length, off = array.ctypes.data, array.nbytes, 0

    def read(_: Any, data: int, most: int, error: Any) -> int:
        nonlocal off
        piece = min(most, length - off)
        memcpy(data, begin + off, piece)
        off += piece
        return piece

    return _c.CReader(read=job.keep(_c.READ(read)), bytes=length)
