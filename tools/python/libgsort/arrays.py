"""Arrays in memory: sorted in place, counted, checked; their order."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Union

from . import _c
from ._hints import Array, Buffer, Unpack, np, npt
from .errors import Error, type_error
from .job import ArrayOptions, Job
from .layout import Keys, Layout, key_list, layout_of
from .report import Report
from .resident import released


def is_arrow(a: Any) -> bool:
    """A column of Arrow's, or a Series that speaks it."""
    return hasattr(a, '__arrow_c_stream__') or hasattr(a, '__arrow_c_array__')


def array_of(a: Any) -> Array:
    """An array of the memory that `a` has: an ndarray, or what has the buffer protocol, such as array.array. Of a column of Arrow's a
    copy, which is read-only."""
    import numpy as np
    if is_arrow(a):
        from .arrow_table import array_of_column
        return array_of_column(a)
    if isinstance(a, np.ma.MaskedArray):
        raise type_error('a masked array: sort a.compressed(), or a.data and the mask')
    if not isinstance(a, np.ndarray):
        if hasattr(a, '__cuda_array_interface__'):
            raise TypeError(f'{type(a).__name__}: it is in the memory of a GPU; libgsort.cuda.sort and argsort are for such')
        try:
            a = np.asarray(memoryview(a))
        except TypeError:
            hint = '; sort_file() is for files' if isinstance(a, (str, os.PathLike)) else '; numpy.array() makes one of it' * isinstance(a, (list, tuple))
            raise type_error(f'{type(a).__name__}: an array is wanted{hint}') from None
    if a.ndim != 1:
        raise ValueError(f'an array of {a.ndim} dimensions; one of 1 is wanted: a.reshape(-1), or a row of it')
    return a  # type: ignore[no-any-return]


def _key(order: Keys, options: Any) -> Keys:
    """NumPy's word, and the library's, for the same; a list, for what was given may be read but once."""
    key: Keys = options.pop('key', None)
    if order is not None and key is not None:
        raise type_error('order and key are the same; give one of them')
    key = key if order is None else order
    return None if key is None else key_list(key)


def sort(a: Union[Array, Buffer], *, order: Keys = None, **options: Unpack[ArrayOptions]) -> Report:
    """Sorts an array in its place, with all threads, within the memory that it is given beside the array.

    a: shape (n,): an ndarray or memmap, or any writable buffer. What is not contiguous is copied there and back
    order: of a structured dtype: a field or several, the first decides first; '-name' sorts descending, 'outer.inner' is a
        field in a field. Default: all fields, as numpy has it. Elements with equal keys keep their order, where numpy.sort goes on
        by the remaining fields: name these, too, to have its order. ties='bytes' goes on by all other bytes, as they are
    options: reverse, memory, temp, device, progress, ..: libgsort.options() says what they mean

    NaNs and NaTs come last, -0.0 before 0.0; with reverse all is the other way round, if `nan` does not say where NaNs come. If it
    fails or is canceled before anything was written the array is as it was; the text of the error says when it is not, and a note
    (__notes__) of what Ctrl-C or the function for progress has raised.
    """
    import numpy as np
    array = array_of(a)
    if not array.flags.writeable:
        raise ValueError('the array is read-only, and it is sorted in its place; sorted() makes a copy')
    key = _key(order, options)
    layout = layout_of(array.dtype, key)
    if not array.flags.c_contiguous:
        whole = array.view(f'V{array.dtype.itemsize}')  # as in place, what belongs to no field moves along
        copy = np.ascontiguousarray(whole)
        report = sort(copy.view(array.dtype), order=key, **options)
        whole[...] = copy
        return report
    if key is None and layout.record and array.dtype.kind in 'iufmM' and array.dtype.itemsize > 2:
        return _sort_swapped(array, options)
    return _run('gs_job_sort_array', array, layout, options)


def _sort_swapped(array: Array, options: Mapping[str, Any]) -> Report:
    """Numbers of the other byte order: as records they would take twice the time, and three times the memory."""
    swapped = array.view(array.dtype.newbyteorder())
    done: List[Array] = []
    try:
        done.extend(map(swapped.byteswap, (True,)))  # in one call: no signal comes between the swap and its note
        return _run('gs_job_sort_array', swapped, layout_of(swapped.dtype), options)
    finally:
        if done:
            swapped.byteswap(inplace=True)


# What takes milliseconds at most is done on the calling thread, where a signal is handled behind it: a thread of its own would take
# 0.3 ms.
SHORT_BYTES = 1 << 20


def _run(call: str, array: Array, layout: Layout, options: Mapping[str, Any], *out: Array) -> Report:
    is_short = array.nbytes < SHORT_BYTES
    job = Job(options, is_short)
    layout.put(job)
    function, arguments = getattr(_c.library, call), (array.ctypes.data, array.nbytes, *(other.ctypes.data for other in out))
    try:
        if is_short:
            return job.run(function, *arguments)
        with released(*map(job.keep, (array, *out))):
            return job.run(function, *arguments)
    except Error:
        raise
    except BaseException as raised:  # by Ctrl-C, or by the function for progress
        if job.failure():  # which says what the array holds
            vars(raised).setdefault('__notes__', []).append(job.failure())  # as add_note, of Python 3.11
        raise


def argsort(a: Union[Array, Buffer], *, order: Keys = None, out: Optional[npt.NDArray[np.uint64]] = None,
            **options: Unpack[ArrayOptions]) -> npt.NDArray[np.uint64]:
    """The places of an array's elements in order: a[argsort(a)] is sorted. Stable; the array stays as it is.

    a: shape (n,), as of sort; what is not contiguous is copied first
    order, options: as of sort, but for ties. Elements are sorted together with their places: 2 to 5 times the array is sorted
    out: shape (n,), uint64, contiguous; may be a memmap. Default: a new array
    Returns `out`. -0.0 and 0.0 are two, and so are NaNs with different bits; only equal bits keep their order.
    """
    import numpy as np
    given = array_of(a)
    array = np.ascontiguousarray(given)
    key = _key(order, options)
    if array.dtype.kind in 'iufmM' and not array.dtype.isnative and key is None:
        array = array.astype(array.dtype.newbyteorder('='))
    layout = layout_of(array.dtype, key)
    if out is None:
        out = np.empty(len(array), np.uint64)
    if out.dtype != np.uint64 or out.shape != array.shape or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f'out: {out.dtype} of shape {out.shape}; a contiguous, writable uint64 of {array.shape} is wanted')
    if np.may_share_memory(given, out):
        raise ValueError('out is in the memory of the array')
    _run('gs_job_argsort_array', array, layout, options, out)
    return out


def look_at(call: str, a: Any, key: Keys, options: Mapping[str, Any]) -> Report:
    """Statistics, or whether it is sorted."""
    import numpy as np
    array = array_of(a)
    layout = layout_of(array.dtype, key)
    return _run(call, np.ascontiguousarray(array), layout, options)
