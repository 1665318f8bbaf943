"""Sorts arrays in memory, in place, or returns their order. Also checks them and computes
statistics."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _c
from ._hints import Array, Buffer, Unpack, np, npt
from .errors import Error, type_error
from .job import Job, SortOptions
from .keywords import Keys, for_array, named
from .layout import Layout, key_list, layout_of
from .report import Report
from .resident import released


def is_arrow(a: Any) -> bool:
    """Returns whether `a` exports itself as Arrow data, as columns and Series do."""
    return hasattr(a, '__arrow_c_stream__') or hasattr(a, '__arrow_c_array__')


def array_of(a: Any) -> Array:
    """Returns the memory of `a` as an ndarray: of an ndarray, or of an object with the buffer
    protocol, such as array.array.

    An Arrow column is copied; its copy is read-only.
    """
    if is_arrow(a):
        from .arrow_table import array_of_column
        return array_of_column(a)
    if isinstance(a, np.ma.MaskedArray):
        raise type_error('a masked array has no order; sort a.compressed(), or a.data and the mask')
    if not isinstance(a, np.ndarray):
        if hasattr(a, '__cuda_array_interface__'):
            raise TypeError(f'{type(a).__name__}: is in the memory of a GPU; use '
                            f'libgsort.cuda.sort or argsort')
        try:
            a = np.asarray(memoryview(a))
        except TypeError:
            hint = ('; use sort_file() for files' if isinstance(a, (str, os.PathLike))
                    else '; convert it by numpy.array()' * isinstance(a, (list, tuple)))
            raise type_error(f'{type(a).__name__} is not an array{hint}') from None
    if a.ndim != 1:
        raise ValueError(f'the array has {a.ndim} dimensions, but must have one; use '
                         f'a.reshape(-1), or one row')
    return a  # type: ignore[no-any-return]


def sort(a: Union[Array, Buffer], *, by: Keys = None, descending: bool = False,
         **options: Unpack[SortOptions]) -> Report:
    """Sorts an array in place, with all threads. Returns a Report.

    a: shape (n,): an ndarray or memmap, or any writable buffer. An array that is not contiguous is
        copied, sorted and copied back
    by: a field of a structured dtype, or several: the first decides first. '-name' sorts
        descending; 'outer.inner' is a field in a field. Default: all fields, as in NumPy. Elements
        with equal keys keep their order. numpy.sort orders them by the remaining
        fields: name these as well to get its order. ties='bytes' orders them by all their bytes
    descending: sort in descending order
    options: memory (used besides the array), temp, device, progress and others, as
        libgsort.options() explains. kind, stable and axis=-1 change nothing: every sort is stable

    NaN and NaT are last, and -0.0 is before 0.0. With descending both are the other way
    round, unless `nan` says where NaN and NaT are.

    Raises a ValueError if the array is read-only or has several dimensions, and a TypeError if its
    dtype has no order. If a sort fails or is canceled before it wrote anything, the array is
    unchanged. Otherwise the text of the Error says what the array holds. An exception of Ctrl-C or
    of the progress function has that text as a note (__notes__).
    """
    found = named(options, by=by, descending=descending)
    for_array(found)
    array = array_of(a)
    if not array.flags.writeable:
        raise ValueError('the array is read-only and cannot be sorted in place; sorted() returns a '
                         'sorted copy')
    return _sort(array, keys_of(found), found)


def keys_of(options: Dict[str, Any]) -> Optional[List[str]]:
    """Removes the keys from options, and returns them as a list, because an iterator is read only
    once. None: there are none."""
    keys = options.pop('by', None)
    return None if keys is None else key_list(keys)


def _sort(array: Array, keys: Optional[List[str]], options: Dict[str, Any]) -> Report:
    layout = layout_of(array.dtype, keys)
    if not array.flags.c_contiguous:
        # bytes between fields move with their element, as in a sort in place
        whole = array.view(f'V{array.dtype.itemsize}')
        copy = np.ascontiguousarray(whole)
        report = _sort(copy.view(array.dtype), keys, options)
        whole[...] = copy
        return report
    if keys is None and layout.record and array.dtype.kind in 'iufmM' and array.dtype.itemsize > 2:
        return _sort_swapped(array, options)
    return _run('gs_job_sort_array', array, layout, options)


def _sort_swapped(array: Array, options: Mapping[str, Any]) -> Report:
    """Sorts numbers of the other byte order by swapping their bytes. As records they would need
    twice the time and three times the memory."""
    swapped = array.view(array.dtype.newbyteorder())
    done: List[Array] = []
    try:
        # one call: no signal can arrive between the swap and its note
        done.extend(map(swapped.byteswap, (True,)))
        return _run('gs_job_sort_array', swapped, layout_of(swapped.dtype), options)
    finally:
        if done:
            swapped.byteswap(inplace=True)


# A job of a few milliseconds runs on the calling thread, which handles signals after it. A thread
# of its own would cost 0.3 ms.
SHORT_BYTES = 1 << 20


def _run(call: str, array: Array, layout: Layout, options: Mapping[str, Any],
         *out: Array) -> Report:
    is_short = array.nbytes < SHORT_BYTES
    job = Job(options, is_short)
    layout.put(job)
    function, arguments = getattr(_c.library, call), (array.ctypes.data, array.nbytes,
                                                      *(other.ctypes.data for other in out))
    try:
        if is_short:
            return job.run(function, *arguments)
        with released(*map(job.keep, (array, *out))):
            return job.run(function, *arguments)
    except Error:
        raise
    except BaseException as raised:  # by Ctrl-C, or by the progress function
        if job.failure():  # its text says what the array holds
            # as add_note, of Python 3.11
            vars(raised).setdefault('__notes__', []).append(job.failure())
        raise


def argsort(a: Union[Array, Buffer], *, by: Keys = None, descending: bool = False,
            out: Optional[npt.NDArray[Any]] = None,
            **options: Unpack[SortOptions]) -> npt.NDArray[np.intp]:
    """Returns the positions of an array's elements in sorted order: a[argsort(a)] is sorted. The
    array does not change.

    a: shape (n,), as for sort. An array that is not contiguous is copied first
    by, descending, options: as for sort, without ties. Elements are sorted together with their
        positions: 2 to 5 times as many bytes as the array
    out: shape (n,), intp or uint64, contiguous; may be a memmap. Default: a new array of intp

    Returns `out`, which belongs to the caller. The sort is stable: elements with equal bits keep
    their order. -0.0 and 0.0 are not equal here, nor are NaNs with different bits. Raises a
    ValueError if `out` has another dtype or shape, is read-only or shares memory with `a`.
    """
    found = named(options, by=by, descending=descending)
    for_array(found)
    given = array_of(a)
    array = np.ascontiguousarray(given)
    keys = keys_of(found)
    if array.dtype.kind in 'iufmM' and not array.dtype.isnative and keys is None:
        array = array.astype(array.dtype.newbyteorder('='))
    layout = layout_of(array.dtype, keys)
    if out is None:
        out = np.empty(len(array), np.intp)
    if (out.dtype not in (np.intp, np.uint64) or out.shape != array.shape
        or not out.flags.c_contiguous or not out.flags.writeable):
        raise ValueError(f'out: has dtype {out.dtype} and shape {out.shape}; a contiguous, '
                         f'writable array of intp or uint64 and shape {array.shape} is needed')
    if np.may_share_memory(given, out):
        raise ValueError('out shares memory with the array; give another array')
    _run('gs_job_argsort_array', array, layout, found, out)
    return out


def look_at(call: str, a: Any, options: Dict[str, Any]) -> Report:
    """Reports on an array without changing it: `call` computes statistics or checks the order."""
    array = array_of(a)
    layout = layout_of(array.dtype, keys_of(options))
    return _run(call, np.ascontiguousarray(array), layout, options)
