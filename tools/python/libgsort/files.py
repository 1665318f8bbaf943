"""Sorts and merges files of any size, checks them, computes statistics and returns their first
elements."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Type, Union, overload

from . import _c
from ._hints import Array, Buffer, DType, Scalar, Unpack, np, npt
from .arrays import array_of, keys_of, look_at
from .errors import DisorderError, UsageError, type_error
from .frames import Column, is_series, series_like
from .job import Job, Options
from .layout import Layout, key_list, layout_by, numpy_dtype
from .report import Report, time_dtype
from .resident import released
from .sorter import Sorter
from .keywords import Keys, Path, is_true, named, row_of, texts_of

Paths = Union[Path, Sequence[Path]]


def layout_of_files(dtype: DType, key: Keys) -> Layout:
    """Returns the layout of elements in files. dtype: as for layout_by; None: the files or other
    options define it."""
    if dtype is not None:
        return layout_by(dtype, key)
    # The library finds these fields in the .npy header.
    named = [text[1:] + ':desc' if text.startswith('-') else text for text in key_list(key)]
    return Layout(None, None, 0, named)


def _job(inputs: Any, dtype: DType, options: Any) -> Job:
    layout = layout_of_files(dtype, keys_of(options))
    job = Job(options)
    layout.put(job)
    job.set('input', inputs)
    if 'input' not in job.given:
        raise UsageError('no input is given')
    return job


def _run(job: Job, action: int) -> Report:
    return job.run(_c.library.gs_job_run, action)


def sort_file(inputs: Paths, output: Path, *, by: Keys = None, descending: bool = False,
              dtype: DType = None, **options: Unpack[Options]) -> Report:
    """Sorts one or several files into one file, which appears whole or not at all. Returns a
    Report.

    inputs: a path or several; plain files, files compressed with zstd, or .npy files
    output: a path; may be one of the inputs
    by: fields, the first decides first: 'name', '-name' for descending, or 'OFF:TYPE[:desc]'.
        Default: all fields
    descending: sort in descending order
    dtype: a dtype of NumPy ('u8' has 8 bytes), or a type that only the library knows, such as
        'f64', 'u16be' or 'u128'. A structured dtype is sorted by its fields. Default: the options
        `type` or `record`, else the .npy header or the file's name (x.f64), else u64 with a
        NoteWarning
    options: options of the program gsort, with _ instead of -, such as memory='2G', top=10 or
        resume='DIR'. libgsort.options() explains them
        where: one condition or several that an element must meet: '>=0', '8:f64>0' for records,
            'price>0' for .npy files
        split, split_at: write several files; `output` is a pattern such as 'out.%03d'

    Raises an Error, whose class says what failed: an InputFileError for an input that cannot be
        opened, a SpaceError if the disk is full.
    """
    return _write(_job(inputs, dtype, named(options, by=by, descending=descending)), output)


def merge(inputs: Paths, output: Optional[Path] = None, *, by: Keys = None,
          descending: bool = False, dtype: DType = None, **options: Unpack[Options]) -> Report:
    """Merges sorted files into one file, in one pass. Returns a Report.

    inputs, output, by, descending, dtype, options: as for sort_file. Options for a merge only:
        merge: which elements to write: 'all', 'union', 'intersect', 'except', 'semi', 'anti' or
            'xor', by their keys. With unique, each key once
        find: write only the elements between two values: 'LO..HI' (both included), 'LO..', '..HI'
            or 'VALUE'; for records by the first key
        part: 'I/N': write only the I-th of N equal parts of the output; the first part is 1
        into: a file with room for all parts, instead of `output`; this part is written at its place

    Raises an InputError that names the place if an input is not sorted, and a TypeError if neither
    output nor into is given.
    """
    if output is None and options.get('into') is None:
        raise type_error('neither output nor into is given; give one of them')
    found = {'merge': True, **named(options, by=by, descending=descending)}
    return _write(_job(inputs, dtype, found), output)


def shuffle_file(  # type: ignore[misc]  # `count` is an option, too, of another type
        inputs: Paths, output: Path, *, seed: Optional[int] = None, count: Optional[int] = None,
                 dtype: DType = None,
        **options: Unpack[Options]) -> Report:
    """Writes the elements of one or several files in random order. Every order is equally likely.
    Returns a Report.

    inputs, output, dtype, options: as for sort_file, without by, descending and whatever else
        defines an order
    seed: an integer from 0 to 2**64 - 1. The same seed and input give the same order on every
        machine. Default: a new one, which report.details['shuffle_seed'] holds
    count: how many elements to write, chosen at random without replacement. Default: all
    """
    job = _job(inputs, dtype, named(options))
    job.set('shuffle', True if seed is None else seed)
    job.set('sample', count)
    return _write(job, output)


def find(inputs: Paths, value: Union[str, float], *, by: Keys = None, descending: bool = False,
         dtype: DType = None, **options: Unpack[Options]) -> slice:
    """Returns the slice of a sorted file that holds a value, or a range of values. Reads only a few
    blocks of the file.

    inputs, by, descending, dtype, options: as for merge
    value: a number, or text: 'VALUE' or 'LO..HI' (both included). A float is compared exactly, not
        by its shortest text. If the type has a unit, as 'time64[ns]' has, a numpy.datetime64 as
        well

    For several files, the slice starts at the position in the first file, and its length is the
    number of elements in all files.
    """
    job = _job(inputs, dtype, named(options, by=by, descending=descending))
    job.set('find', value)
    found = _run(job, _c.ACTION_FIND).details['find']
    return slice(int(found['first']), int(found['first']) + int(found['count']))


def _write(job: Job, output: Optional[Path]) -> Report:
    job.set('output', output)
    return _run(job, _c.ACTION_SORT)


def is_path(x: Any) -> bool:
    """Returns whether `x` is a path or a list of paths; anything else is data."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(is_path, x))
    return isinstance(x, (str, bytes, os.PathLike))


def _refuse_dtype(dtype: DType) -> None:
    if dtype is not None:
        raise type_error('dtype: only for files; use a.view(dtype) for an array')


def stats(x: Union[Paths, Array, Buffer], *, by: Keys = None, dtype: DType = None,
          **options: Unpack[Options]) -> Report:
    """Reports count, minimum, maximum, exact sum and number of NaNs, in one pass. Returns a Report.

    x: a file or several, or an array of shape (n,). bytes are the name of a file; a memoryview of
        bytes is an array
    by, dtype, options: as for sort_file; dtype only for files
        stats_of: the fields of records to report on: 'OFF:TYPE'. Default: the first key that is a
            number
        quantiles, histogram: need up to three passes
    """
    found = named(options, by=by)
    if not is_path(x):
        _refuse_dtype(dtype)
        return look_at('gs_job_stats_array', x, found)
    return _run(_job(x, dtype, found), _c.ACTION_STATS)


def check(x: Union[Paths, Array, Buffer], *, by: Keys = None, descending: bool = False,
          dtype: DType = None, **options: Unpack[Options]) -> Report:
    """Checks that a file or an array is sorted. Returns a Report.

    x: a file or several, or an array of shape (n,). bytes are the name of a file; a memoryview of
        bytes is an array
    by, descending, dtype, options: as for sort_file; dtype only for files. unique: equal keys are
        disorder as well

    Raises a DisorderError if an element is smaller than the one before it. The error names the
    first such element.
    """
    found = named(options, by=by, descending=descending)
    if not is_path(x):
        _refuse_dtype(dtype)
        return look_at('gs_job_check_array', x, found)
    return _run(_job(x, dtype, found), _c.ACTION_CHECK if is_true(found.get('unique'))
                else _c.ACTION_CHECK_ALL)


def is_sorted(x: Union[Paths, Array, Buffer], *, by: Keys = None, descending: bool = False,
              dtype: DType = None, **options: Unpack[Options]) -> bool:
    """Returns whether a file or an array is sorted. Arguments are as for check, whose error says
    where the disorder is."""
    try:
        check(x, by=by, descending=descending, dtype=dtype, **options)
    except DisorderError:
        return False
    return True


@overload
def top(x: npt.NDArray[Scalar], k: int, *, by: Keys = None, largest: bool = False,
        descending: bool = False, **options: Unpack[Options]) -> npt.NDArray[Scalar]: ...
@overload
def top(x: Column, k: int, *, by: Keys = None, largest: bool = False, descending: bool = False,
        **options: Unpack[Options]) -> Column: ...
@overload
def top(x: Paths, k: int, *, by: Keys = None, largest: bool = False, descending: bool = False,
        dtype: Union[np.dtype[Scalar], Type[Scalar]],
        **options: Unpack[Options]) -> npt.NDArray[Scalar]: ...
@overload
def top(x: Any, k: int, *, by: Keys = None, largest: bool = False, descending: bool = False,
        dtype: DType = None, **options: Unpack[Options]) -> Array: ...


def top(x: Any, k: int, *, by: Keys = None, largest: bool = False, descending: bool = False,
        dtype: DType = None, **options: Unpack[Options]) -> Any:
    """Returns the k smallest elements in order, without sorting the others.

    x: a file or several, or an array, as for stats; an array does not change
    k: how many elements
    largest: return the k largest elements, the largest first. descending has the same meaning
    by, dtype, options: as for sort_file; dtype only for files

    Returns a new array of shape (k,), or shorter if there are fewer elements. Its dtype is `dtype`,
    or that of the array or file. A Series of pandas or Polars gives a Series. Raises a UsageError
    for options that write anything but elements (count, out, zstd and others).
    """
    found = named(options, by=by, descending=descending or largest)
    if is_series(x):
        _refuse_dtype(dtype)
        return series_like(x, _top(x, k, dtype, found))
    return _top(x, k, dtype, found)


def _top(x: Any, k: int, dtype: DType, options: Dict[str, Any]) -> Array:
    pieces: List[bytes] = []
    _refuse_for_top(options)
    if is_path(x):
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
    with Sorter(array.dtype, **{**options, 'top': k}) as sorter, released(array):
        sorter.push(array)
        return np.concatenate([np.empty(0, array.dtype), *sorter])


# sum: only what ends in :wide
OTHER_OUTPUT = 'count', 'sum', 'sum_wide', 'out', 'out_order', 'zstd', 'argsort', 'values'


def _refuse_for_top(options: Any) -> None:
    """Raises a UsageError for options whose output are not elements."""
    for name in OTHER_OUTPUT:
        row, given = row_of(name), options.get(name)
        texts = [] if given is None else texts_of(row, given)
        if row.is_list:
            options[name] = texts  # an iterator is read only once
        if any(text.endswith(b':wide') if name == 'sum' else text != b'false' for text in texts):
            what = 'sum=OFF:TYPE:wide' if name == 'sum' else name
            raise UsageError(f'{what} cannot be used with top(): its output is not elements; '
                             'use sort_file() with top=K')
    if options.get('header') not in (None, 0, '0'):
        options['drop_header'] = True


def _run_top(job: Job, pieces: List[bytes], k: int) -> Report:
    def write(_: Any, data: int, length: int, error: Any) -> bool:
        pieces.append(ctypes.string_at(data, length))
        return True

    job.set('top', k)
    job.check(_c.library.gs_job_set_writer(job.pointer, b'array',
                                           _c.CWriter(write=job.keep(_c.WRITE(write)))))
    return _run(job, _c.ACTION_SORT)
