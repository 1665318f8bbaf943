"""Files of any size: sorted, merged, counted, checked; their first elements."""
from __future__ import annotations

import ctypes
import os

from . import _c
from .arrays import array_check, array_of, array_stats
from .errors import UsageError
from .job import Job, c_text, choice_of, paths_of
from .layout import Layout, key_list, layout_by, layout_of, numpy_dtype
from .resident import released

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence, Tuple, Union

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer, Unpack

    from .job import Path, Tuning
    from .layout import Keys
    from .report import Report

    Paths = Union[Path, Sequence[Path]]
    Array = npt.NDArray[Any]
    Range = Tuple[int, Optional[int]]  # first, and how many; None: all from there on

ALL = 2 ** 64 - 1  # a range_count


INDEX_BYTES = {'u64': 8, 'u32': 4}


def _layout(dtype: Any, keys: Keys) -> Layout:
    """dtype: None, or as of layout_by."""
    if dtype is not None:
        layout = layout_by(dtype, keys)
        if layout.has_nat:
            layout.type = 'time64'  # which has NaT last
        return layout
    # Names of fields in a .npy header, which the library looks up.
    named = [key[1:] + ':desc' if key.startswith('-') else key for key in key_list(keys)]
    return Layout(None, None, 0, tuple(named))


def _job(inputs: Any, dtype: Any, keys: Keys, tuning: Any, where: Keys = None,
         quantiles: Sequence[Union[float, str]] = (), range: Optional[Range] = None, find: Optional[str] = None) -> Job:
    job = Job(**tuning)
    _layout(dtype, keys).put(job)
    job.set_strings('inputs', 'input_count', paths_of(inputs))
    job.set_strings('where', 'where_count', [condition.encode() for condition in key_list(where)])
    job.set_strings('quantiles', 'quantile_count', [_decimal(p).encode() for p in quantiles])
    job.options.find = None if find is None else c_text(find)
    if range is not None:
        first, count = range
        job.options.has_range, job.options.range_first = True, first
        job.options.range_count = ALL if count is None else count
    return job


def _decimal(p: Union[float, str]) -> str:
    """0.00001 as such, which str writes with an exponent."""
    if isinstance(p, str):
        return p
    from decimal import Decimal
    return format(Decimal(repr(float(p))), 'f')


def _run(job: Job, action: int) -> Report:
    job.options.action = action
    return job.run(_c.library.gs_run_sized)


def sort_file(inputs: Paths, output: Path, *, dtype: Any = None, keys: Keys = None, reverse: bool = False,
              where: Keys = None, range: Optional[Range] = None, top: Optional[int] = None, unique: bool = False, counts: bool = False, keep: str = 'first',
              group: int = 0, header_bytes: int = 0,
              drop_tail: bool = False, raw: bool = False, split: Union[int, Sequence[Any]] = 0, zstd_level: int = 0, resume: Optional[Path] = None,
              verify_read: bool = False,
              quantiles: Sequence[Union[float, str]] = (), histogram: int = 0, distinct: bool = False, mode: bool = False,
              variance: bool = False, out: Keys = None, argsort: bool = False, index: str = 'u64', values: Sequence[str] = (),
              **tuning: Unpack[Tuning]) -> Report:
    """Sorts files into one, which appears whole or not at all; it may be one of the inputs.

    inputs: one or several; plain, packed by zstd, or .npy
    dtype: as numpy.dtype takes it, so 'u8' has 8 bytes; or what NumPy does not know, and the program does: 'f64', 'u16be', 'u128'. A
        structured one is sorted by `keys`. Default: what the .npy header or the file's name says (x.f64), else u64, and a warning
        says so
    keys: fields, the first decides first; '-name' descending; or 'OFF:TYPE[:desc]' as of the program. Default: all of them
    reverse: the largest, and NaNs, first
    where: conditions that elements have to meet, all of them: '>=0', of records '8:f64>0', of .npy files 'price>0'
    range: (first, count): only so many elements of the files, which are one list; a count of None: all from there on
    top: only the first so many elements are written
    unique: only one of equal keys, by `keep`: 'first', 'last', 'singles' (that are alone), 'dups' (the first of those that are not);
        counts: behind each stands how many there were, a u64; group: keys that have to be equal, the first so many; 0: all
    header_bytes: of each input, not sorted; drop_tail: leave out bytes behind the last whole element
    split: several files, `output` being a pattern as 'out.%03d': a number of them, equally long; or values, each of which, in
        the order of the output, begins another file
    raw: take every file as it is; zstd_level: pack the output, 1 to 19; a name that ends in .zst does, too
    resume: a directory, so that the same call goes on after the process was killed
    verify_read: read the output back from the disk
    quantiles, histogram, distinct, mode: what the report is to say of the values, exactly: (0.5, '0.999'); the counts of so many
        bins of equal width; how many differ; the most frequent; variance: also mean, variance and standard deviation
    out: only these pieces of each record are written: 'OFF:LEN', or fields of a .npy file by name
    argsort: the position of each element in the inputs is written in its stead; index: as 'u64' or 'u32'
    values: 'FILE:BYTES=OUTPUT', other files of fixed-width elements that are sorted along, each to its own file
    tuning: memory, threads, temp, compress, device, progress, ...: see Tuning
    """
    if index not in INDEX_BYTES:
        raise UsageError(f"index: '{index}' is neither 'u64' nor 'u32'")
    job = _job(inputs, dtype, keys, tuning, where, quantiles, range)
    job.set_strings('out_fields', 'out_field_count', [field.encode() for field in key_list(out)])
    job.set_strings('values', 'value_count', [os.fsencode(text) for text in values])
    job.options.argsort, job.options.index_bytes = argsort, INDEX_BYTES[index] if argsort or index != 'u64' else 0
    job.options.distinct, job.options.mode, job.options.variance = distinct, mode, variance
    job.options.histogram_bins = histogram
    job.set_unique(unique, counts, keep, group)
    if isinstance(split, int):
        job.options.split_count = split
    else:
        job.set_strings('split_values', 'split_value_count', [str(value).encode() for value in split])
    return _write(job, output, reverse=reverse, has_top=top is not None, top_count=top or 0, header_bytes=header_bytes, drop_tail=drop_tail, raw=raw,
                  output_zstd_level=zstd_level, resume_dir=None if resume is None else c_text(resume),
                  verify_read=verify_read)


def merge(inputs: Paths, output: Path, *, dtype: Any = None, keys: Keys = None, reverse: bool = False,
          where: Keys = None, range: Optional[Range] = None, find: Optional[str] = None, part: Optional[Tuple[int, int]] = None,
          into: bool = False, set: str = 'all', unique: bool = False, counts: bool = False, zstd_level: int = 0,
          **tuning: Unpack[Tuning]) -> Report:
    """Merges files that are sorted already, in one pass; what is not sorted is an InputError that names the place.

    find: only what is between values: 'LO..HI' with both ends, 'LO..', '..HI' or 'VALUE'; of records by the first key
    part: (i, n): only the i-th of n equal parts of the output, from 1 on
    into: `output` is a file with room for all parts, of which this one is written at its place
    set: which elements stay: 'all', 'union', 'intersect', 'except', 'semi', 'anti'; by keys, with unique each once

    Other arguments are those of sort_file.
    """
    job = _job(inputs, dtype, keys, tuning, where, (), range, find)
    number, count = part or (0, 0)
    operation, _ = choice_of('set', set, _c.library.gs_set_choices())
    return _write(job, output, merge=True, reverse=reverse, part_number=number, part_count=count, into=into,
                  merge_set=operation, unique=unique, unique_counts=counts, output_zstd_level=zstd_level)


def find(inputs: Paths, value: str, *, dtype: Any = None, keys: Keys = None, reverse: bool = False, **tuning: Unpack[Tuning]) -> slice:
    """Where a value, or all from one to another ('LO..HI'), is in a sorted file; a few blocks of it are read.

    Arguments are those of merge. Of several files it is where they begin in the first, and how many are in all.
    """
    job = _job(inputs, dtype, keys, tuning, find=value)
    job.options.reverse = reverse
    found = _run(job, _c.ACTION_FIND).details['find']
    return slice(int(found['first']), int(found['first']) + int(found['count']))


def _write(job: Job, output: Path, **options: Any) -> Report:
    for name, value in options.items():
        setattr(job.options, name, value)
    job.options.output = c_text(output)
    return _run(job, _c.ACTION_SORT)


def _is_path(x: Any) -> bool:
    """A path or a list of them; all else is an array."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(_is_path, x))
    return isinstance(x, (str, os.PathLike)) or (isinstance(x, bytes) and os.path.exists(x))


def _refuse_dtype(dtype: Any) -> None:
    if dtype is not None:
        raise TypeError('dtype is for files; an array has its own, and a.view(dtype) another one')


def stats(x: Union[Paths, Array, Buffer], *, dtype: Any = None, keys: Keys = None, fields: Sequence[str] = (),
          where: Keys = None, quantiles: Sequence[Union[float, str]] = (), histogram: int = 0, variance: bool = False,
          **tuning: Unpack[Tuning]) -> Report:
    """Count, minimum, maximum, exact sum and NaNs, in one pass.

    x: a file or several, or an array of shape (n,)
    dtype, keys: as of sort_file; fields: of files of records, those that get statistics: 'OFF:TYPE'; default the first key that
        is a number; where, quantiles, histogram, variance: of files, as of sort_file; quantiles and histograms read them up to
        three times
    """
    if not _is_path(x):
        if where or quantiles or histogram or variance or fields:
            raise TypeError('where, quantiles, histogram, variance and fields are for files; numpy.quantile(a, ..) is for arrays')
        _refuse_dtype(dtype)
        return array_stats(x, keys, tuning)
    job = _job(x, dtype, keys, tuning, where, quantiles)
    job.options.histogram_bins, job.options.variance = histogram, variance
    job.set_strings('stats_fields', 'stats_field_count', [field.encode() for field in fields])
    return _run(job, _c.ACTION_STATS)


def check(x: Union[Paths, Array, Buffer], *, dtype: Any = None, keys: Keys = None, reverse: bool = False,
          unique: bool = False, **tuning: Unpack[Tuning]) -> Report:
    """Whether it is sorted: raises a DisorderError at the first element that is smaller than the one before it.

    x: a file or several, or an array of shape (n,)
    unique: equal keys are disorder, too
    """
    if not _is_path(x):
        _refuse_dtype(dtype)
        return array_check(x, keys, reverse, unique, tuning)
    job = _job(x, dtype, keys, tuning)
    job.options.reverse, job.options.unique, job.options.check_counts = reverse, unique, not unique
    return _run(job, _c.ACTION_CHECK)


def top(x: Union[Paths, Array, Buffer], count: int, *, dtype: Any = None, keys: Keys = None, reverse: bool = False,
        **tuning: Unpack[Tuning]) -> Array:
    """The first `count` elements in order, as a new array of shape (count,) or less; the others are not sorted.

    x: a file or several, or an array of shape (n,), which stays as it is
    reverse: the largest ones, the largest first
    dtype, keys: as of sort_file; the array has this dtype, or else that which the file says
    """
    import numpy as np
    if count < 0:
        raise ValueError(f'{count} elements')
    pieces: List[bytes] = []
    if _is_path(x):
        job = _job(x, dtype, keys, tuning)
        report = _run_top(job, pieces, count, reverse)
        written = bytearray(b''.join(pieces))
        if len(written) > report.output_bytes:  # a .npy header says it
            from io import BytesIO
            return np.load(BytesIO(written))  # type: ignore[no-any-return]
        return np.frombuffer(written, dtype=numpy_dtype(report.type or '') if dtype is None else layout_by(dtype).dtype)
    _refuse_dtype(dtype)
    array = np.ascontiguousarray(array_of(x))
    layout = layout_of(array.dtype, keys)
    if layout.has_nat:
        raise TypeError(f'{array.dtype}: times have no top, for NaT would be the first')
    job = Job(**tuning)
    layout.put(job)
    job.set_strings('inputs', 'input_count', [b'array'])
    job.options.raw = True
    job.options.readers = job.keep((_c.CReader * 1)(_reader(job, array)))
    with released(job.keep(array)):
        _run_top(job, pieces, count, reverse)
    return np.frombuffer(bytearray(b''.join(pieces)), dtype=array.dtype)


def _run_top(job: Job, pieces: List[bytes], count: int, reverse: bool) -> Report:
    job.options.has_top, job.options.top_count, job.options.reverse = True, count, reverse
    job.options.output = b'array'

    def write(_: Any, data: int, length: int, error: Any) -> bool:
        pieces.append(ctypes.string_at(data, length))
        return True

    job.options.writer = ctypes.pointer(job.keep(_c.CWriter(write=job.keep(_c.WRITE(write)))))
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
