"""Sorter: a sort to which a program pushes elements and from which it pulls them, also more than
fit into memory."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Tuple, TypeVar

from . import _c
from ._hints import Array, DType, Unpack, np, npt  # noqa: F401  # Array needs npt at run time
from .arrays import is_arrow
from .errors import CanceledError, ColumnError, Error, NullsError, UsageError, type_error
from .job import Job, Options, interruptible
from .layout import key_list, layout_by, number_name, with_count
from .report import Report, TableReport
from .keywords import Keys, is_true, named, nulls_of

if TYPE_CHECKING:
    from .arrow_table import Batches, Columns
    from .tables.stream import TableStream

T = TypeVar('T')

SMALL_BYTES = 256 << 10  # copying this much is faster than starting a thread that waits


def _is_same(made: Any, given: Any) -> bool:
    """Returns whether `made`, which NumPy made from `given`, has the same value. Floats may have
    been rounded."""
    kind = made.dtype
    if kind.names is not None:
        parts = given.reshape(1)[0] if isinstance(given, np.ndarray) else given
        return all(_is_same(made[name], part) for name, part in zip(kind.names, parts))
    if (kind.kind == 'f' or number_name(kind) == 'bf16' or kind.kind in 'mM'
        and np.isnat(made).all()):
        return True
    if kind.kind == 'V':  # NumPy copies the bytes of any other value
        is_bytes = (isinstance(given, (bytes, np.void)) or isinstance(given, np.ndarray)
                    and given.dtype.kind == 'V')
        return is_bytes and np.asarray(given, 'V').tobytes() == made.tobytes()
    # of pandas, with nanoseconds, unlike datetime
    given = np.asarray(getattr(given, 'asm8', given))
    if kind.kind in 'mM' and given.dtype.kind in 'OSU':
        given = np.asarray(given, kind.kind)  # in its own unit
    # not cast back: 2 ** 64 - 1 would be -1 again
    are_numbers = kind.kind in 'biu' and given.dtype.kind in 'biuf'
    return bool(((made if are_numbers else made.astype(given.dtype)) == given).all())


def _of_128_bits(number: Any, type: str) -> bytes:
    try:
        return int(number).to_bytes(16, 'big' if type.endswith('be') else 'little',
                                    signed=type[0] == 'i')
    except OverflowError:
        raise ValueError(f'rank_of(): {number} is not a value of {type}') from None


class _Handle:
    """Owns a gs_sorter. Closes it when neither the Sorter nor a block that it lent refers to this
    object."""

    def __init__(self, job: Job) -> None:
        self.job = job
        error = _c.CError()
        self.pointer: Optional[int] = interruptible(
            lambda: _c.library.gs_sorter_open(job.pointer, ctypes.byref(error)), job.cancel)
        weakref.finalize(self, _close, self.pointer, job)
        job.after()
        _c.raise_for(error, job.given)


def _close(pointer: Optional[int], job: Job) -> None:
    """Closes the sorter. `job` keeps the callbacks and the gs_cancel alive until then; the sorter
    borrows them."""
    _c.library.gs_sorter_close(pointer)


class _Lent:
    """Exports memory of the sorter to NumPy. An array in it keeps the sorter alive, but not the
    contents: see pull."""

    def __init__(self, handle: _Handle, address: int, length: int, is_read_only: bool) -> None:
        self.handle = handle
        self.__array_interface__ = {'data': (address, is_read_only), 'shape': (length,),
                                    'typestr': '|u1', 'version': 3}


class Sorter:
    """Sorts elements that a program pushes in blocks of any size and then pulls in order. Elements
    that exceed memory are spilled to temp.

        with gs.Sorter('f8', memory='1G') as s:
            s.push(block)
            for block in s:
                ...

    dtype: the dtype of the elements, of NumPy or of the library ('f64', 'u128'), as for sort_file.
        None: the options `type` or `record` define the elements, or else the first Arrow table or
            array that is pushed
    by: fields or columns, the first decides first: 'name', '-name' for descending, or
        'OFF:TYPE[:desc]'. Default: all of them
    descending: sort in descending order
    nulls_last: True or False, for ascending and descending keys of tables; needs pyarrow. Default:
        True
    options: top, unique, keep, group, memory, temp, progress and others, as libgsort.options()
        explains. `count` adds a field 'count' to the sorted elements

    A table with nulls, or with a column of variable width (text, lists, dictionaries and others),
    is sorted as by sort_table. Such a sort needs at least 32M of memory, and its result is an Arrow
    stream. It accepts only by, descending, nulls_last, memory, temp (the first folder), progress,
    cancel and threads.

    Elements with equal keys are pulled in the order in which they were pushed. Several threads may
    push at the same time, or pull. In a child of fork, all calls fail with a UsageError.
    """

    def __init__(self, dtype: DType = None, *, by: Keys = None, descending: bool = False,
                 nulls_last: Optional[bool] = None, nulls: Optional[str] = None,
                 **given: Unpack[Options]) -> None:
        options = named(given, by=by, descending=descending)
        nulls = nulls_of(nulls, nulls_last)
        if nulls is not None and dtype is not None:
            raise type_error('nulls: only for tables; elements of a dtype have no nulls')
        self._key = key_list(options.pop('by', None))  # an iterator is read only once
        self._nulls, self._options, self._is_of_dtype = nulls, options, dtype is not None
        self._job = Job(options)
        self._is_reverse, self._has_counts = (is_true(options.get('reverse')),
                                              is_true(options.get('count')))
        self._handle: Optional[_Handle] = None
        self._columns: Optional[Columns] = None
        # sorts tables with nulls or columns of variable width
        self._table_stream: Optional[TableStream] = None
        self._one_batch = threading.Lock()  # Arrow batches are pushed one at a time
        self._is_over = False
        self._process = os.getpid()
        self._pulling = threading.Lock()  # held until the pulled block is copied
        self._has_lost = False  # a block was pulled but not used, for example because of Ctrl-C
        self._reader: Optional[object] = None  # the stream that reads the order
        # the dtype of the elements that are pushed; None: not known yet
        self.dtype: Optional[np.dtype[Any]] = None
        if dtype is not None:
            self._open(dtype, self._key)

    def _open(self, dtype: DType, key: Keys) -> None:
        layout = layout_by(dtype, key)
        self._refuse_count(layout.dtype.names or () if layout.dtype is not None else ())
        self._type = layout.type
        layout.put(self._job)
        self.dtype = layout.dtype
        self._handle = _Handle(self._job)

    def _refuse_count(self, names: Sequence[str]) -> None:
        if self._has_counts and 'count' in names:
            raise UsageError("count: the elements already have a field 'count'; rename that field")

    # Calls

    def _refuse_child(self) -> None:
        """Raises a UsageError in a child of fork, as the library does; here there may be no sorter
        of the library."""
        if os.getpid() != self._process:
            raise UsageError('the sorter was opened by another process, and this one was forked '
                             'from it; open a new sorter here')

    def _wait(self, function: Callable[..., Any], *arguments: Any, is_short: bool = False,
              keep: Any = None) -> Any:
        """Returns function(sorter, *arguments, error). `keep` stays alive until that ends, as in
        Job.keep."""
        if self._table_stream is not None:
            raise UsageError('a table with nulls or columns of variable width is read as an Arrow '
                             'stream: use pa.table(sorter), and table_report')
        if self._handle is None:
            raise UsageError('the sorter is closed' if self._is_over
                             else 'nothing was pushed, and no dtype was given; push data first')
        error, handle = _c.CError(), self._handle

        def work(keep: Any = keep) -> Any:
            return function(handle.pointer, *arguments, ctypes.byref(error))
        with self._job.at_work():
            result = work() if is_short else interruptible(work, self._job.cancel)
        self._job.after()
        _c.raise_for(error, self._job.given)
        return result

    def push(self, data: Any) -> None:
        """Adds elements to the sort; they are copied.

        data: an array of shape (n,) and the sorter's dtype; or a buffer of such elements or of
            their bytes. Or an Arrow table, batch,
            column or stream: an object with __arrow_c_stream__ or __arrow_c_array__

        Raises a TypeError for data of another dtype, and a UsageError if the sorter is closed or is
        being read.
        """
        if is_arrow(data):
            self._push_arrow(data)
            return
        if isinstance(data, np.ma.MaskedArray):
            raise type_error('a masked array has no order; push a.compressed()')
        try:
            array = data if isinstance(data, np.ndarray) else np.asarray(memoryview(data))
        except TypeError:
            raise type_error(
                f'{type(data).__name__} is neither an array nor an Arrow table') from None
        if self._table_stream is not None:
            raise UsageError('the sorter accepts only Arrow tables, because the first push was one')
        if self._handle is None and not self._is_over:
            raise UsageError('the type of the elements is not known; give it as Sorter(dtype)')
        dtype = self._known_dtype()
        if array is not data and array.dtype in ('u1', 'i1', 'S1'):  # bytes of any elements
            array = array.view(dtype)
        if array.dtype != dtype or array.ndim != 1:
            raise type_error(f'data of {array.dtype} with {array.ndim} dimensions; the sorter '
                             f'accepts {dtype} with one')
        if self._columns is not None:
            raise UsageError('the sorter accepts only Arrow tables, because the first push was one')
        if array.flags.c_contiguous:
            self._wait(_c.library.gs_sorter_push, array.ctypes.data, array.nbytes,
                       is_short=array.nbytes <= SMALL_BYTES,
                       keep=array)
        else:
            self._fill(len(array), lambda room, begin, end: np.copyto(room, array[begin:end]))

    def _known_dtype(self) -> np.dtype[Any]:
        if self.dtype is None:
            raise UsageError('the sorter is closed')
        return self.dtype

    _type: Optional[str] = None  # the library's name for the type, if elements are numbers

    def _fill(self, count: int, fill: Callable[[Array, int, int], object]) -> None:
        """Calls fill(room, begin, end), which writes elements begin .. end of the pushed data into
        memory of the sorter."""
        dtype, begin = self._known_dtype(), 0
        while begin < count:
            address, length, wanted = (ctypes.c_void_p(), ctypes.c_uint64(),
                                       (count - begin) * dtype.itemsize)
            self._wait(_c.library.gs_sorter_reserve, wanted, ctypes.byref(address),
                       ctypes.byref(length), is_short=wanted <= SMALL_BYTES)
            assert self._handle is not None and address.value is not None
            end = begin + length.value // dtype.itemsize
            room = np.asarray(_Lent(self._handle, address.value, length.value, False)).view(dtype)
            try:
                fill(room, begin, end)
            except BaseException:
                self._job.cancel()  # what was reserved will not be filled
                raise
            self._wait(_c.library.gs_sorter_commit, address, length, is_short=True)
            begin = end

    def _push_arrow(self, data: Any) -> None:
        from .arrow_table import Batches
        self._refuse_child()
        if self._is_over:
            raise UsageError('the sorter is closed')
        with Batches(data) as batches:
            with self._one_batch:
                self._take_schema(batches)
            for batch in batches:
                with self._one_batch:
                    self._push_batch(batches, batch)

    def _take_schema(self, batches: Batches) -> None:
        from .arrow_table import Columns
        if self._table_stream is not None:
            return
        if self._columns is not None:
            if not self._columns.takes(batches.schema):
                raise type_error('the table has other columns than the first one')
        elif self._nulls is not None:
            error = ValueError('nulls: only for tables')
            self._table_stream = self._open_table_stream(batches, error)
        else:
            try:
                self._take_columns(Columns(batches.schema))
            except ColumnError as error:
                self._table_stream = self._open_table_stream(batches, error)

    def _push_batch(self, batches: Batches, batch: Any) -> None:
        if self._table_stream is None:
            assert self._columns is not None
            try:
                arrays = self._columns.arrays_of(batch)
            except NullsError as error:
                self._table_stream = self._restart_with_nulls(batches, error)
            else:
                self._push_columns(arrays, batch.length)
                return
        self._table_stream.push(batches, batch)

    def _open_table_stream(self, batches: Batches, error: Exception) -> TableStream:
        """Returns a sorter for columns of any type. Raises `error` if this sorter may not be
        replaced by it."""
        if self._is_of_dtype:
            raise error
        others = {name for name, value in self._options.items() if value is not None and value
                  is not False}
        try:
            from .tables.stream import OPTIONS, TableStream
        except ModuleNotFoundError as missing:
            if missing.name != 'pyarrow':
                raise
            raise type(error)(f'{error}; or install pyarrow, with which a Sorter accepts it: pip '
                              f'install libgsort[tables]') from None
        if others - OPTIONS:
            raise type(error)(f'{min(others - OPTIONS)}: {error}') from None
        return TableStream(batches, self._key, self._nulls or 'last', self._options)

    def _restart_with_nulls(self, batches: Batches, error: Exception) -> TableStream:
        """Handles nulls in a later batch: writes the elements so far in order, and sorts them with
        the rest. Only one sort has memory at a time."""
        stream = self._open_table_stream(batches, error)
        from .tables.stream import kept
        spill, places = kept(self, self._options.get('temp'))
        self._handle = self._reader = self.dtype = None
        for rows in spill.read(places):
            stream.push_rows(rows)
        return stream

    def _take_columns(self, columns: Columns) -> None:
        """Adopts the columns of the first table, and opens the sorter for them if no dtype was
        given."""
        self._refuse_count([column.name for column in columns.columns])
        if self._handle is None:
            key, is_reverse = columns.keys_of(self._key)
            self._job.set('reverse', self._is_reverse != is_reverse)
            self._open(columns.dtype, key)
        elif self.dtype != columns.dtype:
            raise type_error(f'the table has elements of {columns.dtype}; the sorter accepts '
                             f'{self.dtype}')
        elif self._type != 'i128' and any(column.is_decimal for column in columns.columns):
            raise type_error(f"the table has decimals; the sorter accepts "
                             f"{self._type or self.dtype}; use Sorter() without a dtype, "
                             "or Sorter('i128') for a single column of decimals")
        self._columns = columns

    def _push_columns(self, arrays: Sequence[Array], count: int) -> None:
        """Pushes one column directly from Arrow's memory, or interleaves several columns in the
        sorter's memory."""
        if len(arrays) == 1 and arrays[0].dtype == self.dtype:
            self._wait(_c.library.gs_sorter_push, arrays[0].ctypes.data, arrays[0].nbytes,
                       keep=arrays[0])
        else:
            assert self._columns is not None
            interleave = self._columns.interleave
            self._fill(count, lambda room, begin, end: interleave(room, arrays, begin, end))

    def finish(self) -> None:
        """Declares that all elements were pushed; push() fails after that. Calls that read the
        sorter do the same."""
        self._wait(_c.library.gs_sorter_finish, is_short=True)

    @property
    def block_dtype(self) -> np.dtype[Any]:
        """Returns the dtype of the blocks: `dtype`, or with `count` a field 'value' (or the fields
        of `dtype`) and a field 'count'."""
        dtype = self._known_dtype()
        return with_count(dtype) if self._has_counts else dtype

    def __iter__(self) -> Iterator[Array]:
        """Returns blocks()."""
        return self.blocks()

    def blocks(self, *, copy: bool = True) -> Iterator[Array]:
        """Yields blocks of sorted elements, shape (n,). The result is verified only after the last
        block.

        copy: True: each block is a new array, which belongs to the caller. False: each block is
            lent, as pull() explains
        """
        while True:
            block = self.pull(copy=copy)
            if block is None:
                return
            yield block

    def pull(self, *, copy: bool = True) -> Optional[Array]:
        """Returns the next block of sorted elements, shape (n,), or None at the end.

        copy: True: the block is a new array, which belongs to the caller. False: the block is
            read-only memory of the sorter, lent until the next call that reads from the sorter.
            That call overwrites the memory, or frees it at the end of the sort; access to freed
            memory may crash the process
        """
        return self.pull_with(lambda memory, dtype: (memory.copy() if copy else memory).view(dtype))

    def pull_with(self, take: Callable[[Array, np.dtype[Any]], T]) -> Optional[T]:
        """Returns take(block, dtype) for the next block, or None at the end.

        take: is called with the bytes of the block, which are valid until it returns, and their
            dtype. An exception that it raises ends the sort
        """
        self.finish()
        address, length, handle = ctypes.c_void_p(), ctypes.c_uint64(), self._handle
        with self._pulling:
            if self._has_lost:  # the next block must not hide that one is missing
                raise CanceledError('canceled: a block was pulled but not used')
            self._has_lost = True
            try:
                self._wait(_c.library.gs_sorter_pull, ctypes.byref(address), ctypes.byref(length))
            except Error:
                self._has_lost = False  # the library reports its error again
                raise
            if length.value == 0:
                self._has_lost = False
                return None
            assert handle is not None and address.value is not None
            taken = take(np.asarray(_Lent(handle, address.value, length.value, True)),
                         self.block_dtype)
            self._has_lost = False
            return taken

    def rank(self, rank: int) -> Any:
        """Returns the element with `rank` elements before it in the order, from 0. Call it before
        the first block is pulled.

        The first call writes all sorted elements to a file in temp. Raises an IndexError for a
        negative rank, and a UsageError for one past the end.
        """
        self.finish()
        found = np.empty(1, self._known_dtype())
        if not 0 <= rank < 1 << 64:
            raise IndexError(rank)
        self._wait(_c.library.gs_sorter_rank, rank, found.ctypes.data)
        return found[0]

    def rank_of(self, element: Any) -> Tuple[int, int]:
        """Returns how many elements are less than `element`, and how many are less or equal. Call
        it at the same time as rank().

        element: a value of the sorter's dtype, or one that NumPy converts without changing its
            value. Only floats may be rounded. Types that NumPy does not have are given as bytes;
            integers of 128 bits also as int

        Raises a ValueError if the conversion changes the value, as for 2.5 among integers, or
        b'abc' among S2.
        """
        self.finish()
        if (self._type is not None and '128' in self._type
            and isinstance(element, (int, np.integer))):
            element = _of_128_bits(element, self._type)
        wanted = np.asarray(getattr(element, 'asm8', element), self._known_dtype()).reshape(1)
        if not _is_same(wanted[0], element):
            raise ValueError(f'rank_of(): {element!r} is not a value of {wanted.dtype}; NumPy '
                             f'would convert it to {wanted[0]}')
        below, not_above = ctypes.c_uint64(), ctypes.c_uint64()
        self._wait(_c.library.gs_sorter_rank_of, wanted.ctypes.data, ctypes.byref(below),
                   ctypes.byref(not_above))
        return below.value, not_above.value

    def report(self) -> Report:
        """Returns the Report of the sort. Call it after the last block was pulled."""
        return Report.taken(self._wait(_c.library.gs_sorter_report, is_short=True), self._job.times)

    @property
    def table_report(self) -> Optional[TableReport]:
        """Returns the TableReport of tables with nulls or columns of variable width, or None for
        others, which have report().

        It is complete after the last batch was read.
        """
        return None if self._table_stream is None else self._table_stream.sorter.report

    def cancel(self) -> None:
        """Ends the sort: calls that wait in it fail with a CanceledError. Any thread may call
        it."""
        self._job.cancel()
        if self._table_stream is not None:
            self._table_stream.cancel.cancel()

    def close(self) -> None:
        """Ends the sort at any point. Frees memory and disk space as soon as no lent block is in
        use.

        In a child of fork it does not touch the sort of the parent or its progress line.
        """
        self._handle, self._is_over, stream = None, True, self._table_stream
        self._table_stream = None
        if os.getpid() == self._process:
            if stream is not None:
                stream.close()
            self._job.end()

    def __enter__(self) -> Sorter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Arrow

    def take_order(self, reader: object) -> None:
        """Registers the only reader of the sorted elements. A second stream would be empty, which
        would surprise readers of a table."""
        self._refuse_child()
        if self._is_over:
            raise UsageError('the sorter is closed')
        if self._reader not in (None, reader):
            raise UsageError('the elements of this sorter were read already; a sorter can be read '
                             'only once')
        self._reader = reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Exports the sorted elements as an Arrow stream, for pyarrow, Polars and DuckDB. It can be
        read once.

        The columns are those that were pushed. In NumPy times, NaT is null.
        """
        from .arrow_c import stream_capsule
        from .arrow_table import Columns, Source
        self._refuse_child()
        if self._table_stream is not None:
            from .tables.stream import Source as TableSource
            return stream_capsule(TableSource(self, self._table_stream))
        self.finish()
        columns = self._columns or Columns.of_dtype(self._known_dtype())
        return stream_capsule(Source(self, columns.with_count() if self._has_counts else columns))
