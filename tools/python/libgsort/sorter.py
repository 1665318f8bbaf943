"""Sorter: a sort that a program feeds and reads, piece by piece, larger than memory too."""
from __future__ import annotations

import ctypes
import json
import os
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Tuple, Type, TypeVar

from . import _c
from ._hints import Array, Unpack, np, npt
from .cancel import CANCELED
from .errors import ColumnError, Error, NullsError, UsageError, error_of, type_error
from .job import Job, Options, interruptible
from .layout import Keys, key_list, layout_by, number_name
from .report import Report
from .table import is_true

if TYPE_CHECKING:
    from .any_table import TableReport
    from .arrow_table import Batches, Columns
    from .tables.fed import Fed

T = TypeVar('T')

SMALL_BYTES = 256 << 10  # a copy of that takes less than a thread to wait beside it


def _is_same(made: Any, given: Any) -> bool:
    """Whether `made`, which NumPy made of `given`, has its value still; floats may have been rounded."""
    import numpy as np
    kind = made.dtype
    if kind.names is not None:
        parts = given.reshape(1)[0] if isinstance(given, np.ndarray) else given
        return all(_is_same(made[name], part) for name, part in zip(kind.names, parts))
    if kind.kind == 'f' or number_name(kind) == 'bf16' or kind.kind in 'mM' and np.isnat(made).all():
        return True
    if kind.kind == 'V':  # of any other value NumPy copies the bytes
        is_bytes = isinstance(given, (bytes, np.void)) or isinstance(given, np.ndarray) and given.dtype.kind == 'V'
        return is_bytes and np.asarray(given, 'V').tobytes() == made.tobytes()
    given = np.asarray(getattr(given, 'asm8', given))  # that of pandas: it has nanoseconds, which its times as those of datetime have not
    if kind.kind in 'mM' and given.dtype.kind in 'OSU':
        given = np.asarray(given, kind.kind)  # in its own unit
    are_numbers = kind.kind in 'biu' and given.dtype.kind in 'biuf'  # not cast back: 2 ** 64 - 1 would be the -1 again that it was
    return bool(((made if are_numbers else made.astype(given.dtype)) == given).all())


def _of_128_bits(number: Any, type: str) -> bytes:
    try:
        return int(number).to_bytes(16, 'big' if type.endswith('be') else 'little', signed=type[0] == 'i')
    except OverflowError:
        raise ValueError(f'rank_of(): {number} is no {type}') from None


class _Handle:
    """A gs_sorter; closed when nobody has it any more: neither the Sorter nor a block that it lent."""

    def __init__(self, job: Job) -> None:
        self.job = job
        error = _c.CError()
        self.pointer: Optional[int] = interruptible(lambda: _c.library.gs_sorter_open(job.pointer, ctypes.byref(error)), job.cancel)
        weakref.finalize(self, _close, self.pointer, job)
        job.after()
        _c.raise_for(error, job.given)


def _close(pointer: Optional[int], job: Job) -> None:
    """The job, whose callbacks and cancel the sorter has borrowed, is there until it is closed."""
    _c.library.gs_sorter_close(pointer)


class _Lent:
    """Memory of the sorter, as NumPy takes it. What lies in it keeps the sorter, but not what stands there: see pull."""

    def __init__(self, handle: _Handle, address: int, length: int, is_read_only: bool) -> None:
        self.handle = handle
        self.__array_interface__ = {'data': (address, is_read_only), 'shape': (length,), 'typestr': '|u1', 'version': 3}


class Sorter:
    """Elements are pushed in any amounts, then come out in order; what does not fit into memory is spilled to temp.

        with gs.Sorter('f8', memory='1G') as s:
            s.push(block)
            for block in s:
                ...

    dtype: of the elements: NumPy's, else a name that the library knows ('f64', 'u128'), as of sort_file; None: `type` or `record` says
        it, or the Arrow table or array that is pushed first
    nulls: of tables, which need pyarrow: 'first' or 'last', whatever the direction of the key; default 'last', once there are some
    options: key: fields or columns, the first decides first, '-name' descending, or 'OFF:TYPE[:desc]'; default all of them;
        reverse, top, unique, keep, group, memory, temp, progress, ..: libgsort.options() says what they mean. With `count` there
        is a field 'count' in what comes out

    A table with a null, or a column of no fixed width (text, lists, dictionaries, ..), is sorted as sort_table says, with memory,
    temp (of several folders the first), progress, cancel, reverse and threads, and read as a stream of Arrow's; 32M are the least then.

    Elements with equal keys come out in the order in which they were pushed. Several threads may push at once, or pull. In a
    child of fork calls fail with a UsageError.
    """

    def __init__(self, dtype: Any = None, *, nulls: Optional[str] = None, **options: Unpack[Options]) -> None:
        if nulls is not None and dtype is not None:
            raise type_error('nulls: of a table; elements of a dtype have none')
        self._key = key_list(options.pop('key', None))  # what was given may be read but once
        self._nulls, self._options, self._is_of_dtype = nulls, options, dtype is not None
        self._job = Job(options)
        self._is_reverse, self._has_counts = is_true(options.get('reverse')), is_true(options.get('count'))
        self._handle: Optional[_Handle] = None
        self._columns: Optional[Columns] = None
        self._fed: Optional[Fed] = None  # what has the tables, if they have nulls or any columns
        self._one_batch = threading.Lock()  # of Arrow's is pushed at a time
        self._is_over = False
        self._process = os.getpid()
        self._pulling = threading.Lock()  # until what was pulled is copied
        self._has_lost = False  # a block that was pulled and not taken, by Ctrl-C say
        self._reader: Optional[object] = None  # a stream that began to read
        self.dtype: Optional[np.dtype[Any]] = None  #: of elements
        if dtype is not None:
            self._open(dtype, self._key)

    def _open(self, dtype: Any, key: Keys) -> None:
        layout = layout_by(dtype, key)
        self._refuse_count(layout.dtype.names or () if layout.dtype is not None else ())
        self._type = layout.type
        layout.put(self._job)
        self.dtype = layout.dtype
        self._handle = _Handle(self._job)

    def _refuse_count(self, names: Sequence[str]) -> None:
        if self._has_counts and 'count' in names:
            raise UsageError("count: there is a 'count' already, and what comes out would have two; rename it")

    # Calls

    def _refuse_child(self) -> None:
        """As the library does, of whose sorter there may be none here."""
        if os.getpid() != self._process:
            raise UsageError('the sorter is that of the process that opened it, and this is a child of fork; open another one here')

    def _wait(self, function: Callable[..., Any], *arguments: Any, is_short: bool = False, keep: Any = None) -> Any:
        """function(sorter, *arguments, error); `keep` outlives it, as in Job.keep."""
        if self._fed is not None:
            raise UsageError('tables with nulls or any columns are read as a stream of Arrow\'s: pa.table(sorter); table_report is of them')
        if self._handle is None:
            raise UsageError('the sorter is closed' if self._is_over else 'nothing was pushed, and no dtype was given')
        error, handle = _c.CError(), self._handle

        def work(keep: Any = keep) -> Any:
            return function(handle.pointer, *arguments, ctypes.byref(error))
        with self._job.at_work():
            result = work() if is_short else interruptible(work, self._job.cancel)
        self._job.after()
        _c.raise_for(error, self._job.given)
        return result

    def push(self, data: Any) -> None:
        """Adds elements, which are copied.

        data: shape (n,), of the sorter's dtype; or a buffer of such, or of their bytes; or a table, batch, column or stream of Arrow's
            (what has __arrow_c_stream__ or __arrow_c_array__)
        """
        if hasattr(data, '__arrow_c_stream__') or hasattr(data, '__arrow_c_array__'):
            self._push_arrow(data)
            return
        import numpy as np
        if isinstance(data, np.ma.MaskedArray):
            raise type_error('a masked array: push a.compressed()')
        try:
            array = data if isinstance(data, np.ndarray) else np.asarray(memoryview(data))
        except TypeError:
            raise type_error(f"{type(data).__name__}: an array is wanted, or a table of Arrow's") from None
        if self._fed is not None:
            raise UsageError('the sorter takes Arrow tables, as the first one was')
        if self._handle is None and not self._is_over:
            raise UsageError('Sorter(dtype): a dtype is wanted, where no Arrow table says it')
        dtype = self._known_dtype()
        if array is not data and array.dtype in ('u1', 'i1', 'S1'):  # bytes, whatever they are of
            array = array.view(dtype)
        if array.dtype != dtype or array.ndim != 1:
            raise type_error(f'{array.dtype} of {array.ndim} dimensions; the sorter takes {dtype} of one')
        if self._columns is not None:
            raise UsageError('the sorter takes Arrow tables, as the first one was')
        if array.flags.c_contiguous:
            self._wait(_c.library.gs_sorter_push, array.ctypes.data, array.nbytes, is_short=array.nbytes <= SMALL_BYTES,
                       keep=array)
        else:
            self._fill(len(array), lambda room, begin, end: room.__setitem__(slice(None), array[begin:end]))

    def _known_dtype(self) -> np.dtype[Any]:
        if self.dtype is None:
            raise UsageError('the sorter is closed')
        return self.dtype

    _type: Optional[str] = None  # of elements that are numbers, in the library's words

    def _fill(self, count: int, fill: Callable[[Array, int, int], object]) -> None:
        """fill(room, begin, end) writes elements begin .. end of what is pushed into the sorter's own memory."""
        import numpy as np
        dtype, begin = self._known_dtype(), 0
        while begin < count:
            address, length, wanted = ctypes.c_void_p(), ctypes.c_uint64(), (count - begin) * dtype.itemsize
            self._wait(_c.library.gs_sorter_reserve, wanted, ctypes.byref(address), ctypes.byref(length), is_short=wanted <= SMALL_BYTES)
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
        if self._fed is not None:
            return
        if self._columns is not None:
            if not self._columns.takes(batches.schema):
                raise type_error('a table of other columns than the first one')
        elif self._nulls is not None:
            self._fed = self._feed(batches, ValueError('nulls is for tables'))
        else:
            try:
                self._take_columns(Columns(batches.schema))
            except ColumnError as error:
                self._fed = self._feed(batches, error)

    def _push_batch(self, batches: Batches, batch: Any) -> None:
        if self._fed is None:
            assert self._columns is not None
            try:
                arrays = self._columns.arrays_of(batch)
            except NullsError as error:
                self._fed = self._feed_again(batches, error)
            else:
                self._push_columns(arrays, batch.length)
                return
        self._fed.push(batches, batch)

    def _feed(self, batches: Batches, error: Exception) -> Fed:
        """What takes any columns, instead of the `error`."""
        if self._is_of_dtype:
            raise error
        others = {name for name, value in self._options.items() if value is not None and value is not False}
        try:
            from .tables.fed import OPTIONS, Fed
        except ModuleNotFoundError as missing:
            if missing.name != 'pyarrow':
                raise
            raise type(error)(f'{error}; pyarrow would take them: pip install libgsort[tables]') from None
        if others - OPTIONS:
            raise type(error)(f'{min(others - OPTIONS)}: {error}') from None
        return Fed(batches, self._key, self._nulls or 'last', self._options)

    def _feed_again(self, batches: Batches, error: Exception) -> Fed:
        """Nulls came late: what was pushed is written in its order, and sorted with the rest. One of both has memory at a time."""
        fed = self._feed(batches, error)
        from .tables.fed import kept
        spill, places = kept(self, self._options.get('temp'))
        self._handle = self._reader = self.dtype = None
        fed.push_again(spill, places)
        return fed

    def _take_columns(self, columns: Columns) -> None:
        """Of the first table: what is sorted, if no dtype said it."""
        self._refuse_count([column.name for column in columns.columns])
        if self._handle is None:
            key, is_reverse = columns.keys_of(self._key)
            self._job.set('reverse', self._is_reverse != is_reverse)
            self._open(columns.dtype, key)
        elif self.dtype != columns.dtype:
            raise type_error(f'a table of {columns.dtype}; the sorter takes {self.dtype}')
        elif self._type != 'i128' and any(column.is_decimal for column in columns.columns):
            raise type_error(f"a table with decimals; the sorter takes {self._type or self.dtype}: Sorter(), without a dtype, takes them, "
                             "and Sorter('i128') a column of them alone")
        self._columns = columns

    def _push_columns(self, arrays: Sequence[Array], count: int) -> None:
        """One column lies in Arrow's memory as it is pushed; several are put together in the sorter's."""
        if len(arrays) == 1 and arrays[0].dtype == self.dtype:
            self._wait(_c.library.gs_sorter_push, arrays[0].ctypes.data, arrays[0].nbytes, keep=arrays[0])
        else:
            self._fill(count, lambda room, begin, end: self._interleave(room, arrays, begin, end))

    def _interleave(self, room: Array, arrays: Any, begin: int, end: int) -> None:
        assert self._columns is not None
        self._columns.interleave(room, arrays, begin, end)

    def finish(self) -> None:
        """All was pushed. Reading does this, too."""
        self._wait(_c.library.gs_sorter_finish, is_short=True)

    @property
    def block_dtype(self) -> np.dtype[Any]:
        """Of what comes out: dtype, or with `count` a field 'value' (or those of dtype) and a field 'count'."""
        import numpy as np
        dtype = self._known_dtype()
        if not self._has_counts:
            return dtype
        if dtype.names is None:
            return np.dtype([('value', dtype), ('count', '<u8')])
        fields = dtype.fields
        assert fields is not None
        return np.dtype({'names': [*dtype.names, 'count'], 'formats': [*(fields[name][0] for name in dtype.names), '<u8'],
                         'offsets': [*(fields[name][1] for name in dtype.names), dtype.itemsize],
                         'itemsize': dtype.itemsize + 8})

    def __iter__(self) -> Iterator[Array]:
        """As blocks()."""
        return self.blocks()

    def blocks(self, *, copy: bool = True) -> Iterator[Array]:
        """Blocks of elements in order, shape (n,). Only when the last one has come all is known to be right.

        copy: True: each is a new array, the caller's; False: each is lent, as pull says
        """
        while True:
            block = self.pull(copy=copy)
            if block is None:
                return
            yield block

    def pull(self, *, copy: bool = True) -> Optional[Array]:
        """The next block, as in a loop over the sorter; None: that was the end.

        copy: True: a new array, the caller's; False: memory of the sorter, read-only, lent until the next call of the sorter that
            reads: after that other elements stand there, or, at the end of the sort, no memory is there, and a look at it may end
            the process
        """
        return self.pull_with(lambda memory, dtype: (memory.copy() if copy else memory).view(dtype))

    def pull_with(self, take: Callable[[Array, np.dtype[Any]], T]) -> Optional[T]:
        """What `take` makes of the next block: its bytes, which stay as they are until it returns, and their dtype. None: the end.
        What `take` raises ends the sort."""
        import numpy as np
        self.finish()
        address, length, handle = ctypes.c_void_p(), ctypes.c_uint64(), self._handle
        with self._pulling:
            if self._has_lost:  # the next block must not come as if that one had been taken
                raise error_of(CANCELED, 0, 'canceled: a block was not taken')
            self._has_lost = True
            try:
                self._wait(_c.library.gs_sorter_pull, ctypes.byref(address), ctypes.byref(length))
            except Error:
                self._has_lost = False  # the library says so again
                raise
            if length.value == 0:
                self._has_lost = False
                return None
            assert handle is not None and address.value is not None
            taken = take(np.asarray(_Lent(handle, address.value, length.value, True)), self.block_dtype)
            self._has_lost = False
            return taken

    def rank(self, rank: int) -> Any:
        """The element that has `rank` others before it, from 0 on; before the first block is pulled. The whole order then goes
        into a file in temp, once."""
        import numpy as np
        self.finish()
        found = np.empty(1, self._known_dtype())
        if not 0 <= rank < 1 << 64:
            raise IndexError(rank)
        self._wait(_c.library.gs_sorter_rank, rank, found.ctypes.data)
        return found[0]

    def rank_of(self, element: Any) -> Tuple[int, int]:
        """How many elements are below `element`, and how many are not above it; else as rank.

        element: of the sorter's dtype, or what NumPy makes one of without a change of its value: a ValueError for 2.5 among integers,
            and for b'abc' among S2. Only floats are rounded. Numbers that NumPy has not are bytes here; of 128 bits integers, too
        """
        import numpy as np
        self.finish()
        if self._type is not None and '128' in self._type and isinstance(element, (int, np.integer)):
            element = _of_128_bits(element, self._type)
        wanted = np.asarray(getattr(element, 'asm8', element), self._known_dtype()).reshape(1)
        if not _is_same(wanted[0], element):
            raise ValueError(f'rank_of(): {element!r} is no {wanted.dtype}; it would become {wanted[0]}')
        below, not_above = ctypes.c_uint64(), ctypes.c_uint64()
        self._wait(_c.library.gs_sorter_rank_of, wanted.ctypes.data, ctypes.byref(below), ctypes.byref(not_above))
        return below.value, not_above.value

    def report(self) -> Report:
        """Of the sort, once the last block has come."""
        found = self._wait(_c.library.gs_sorter_report, is_short=True)
        try:
            return Report(json.loads(_c.report_json(found)), self._job.times)
        finally:
            _c.library.gs_report_free(found)

    @property
    def table_report(self) -> Optional[TableReport]:
        """Of tables with nulls or any columns, whole once the last batch has come; None: report() is of what was sorted."""
        return None if self._fed is None else self._fed.sorter.report

    def cancel(self) -> None:
        """From any thread: what waits in this sorter fails with a CanceledError."""
        self._job.cancel()
        if self._fed is not None:
            self._fed.cancel.cancel()

    def close(self) -> None:
        """Ends the sort, at any point; memory and disk are given back when no lent block is left. In a child of fork the parent's
        sort goes on, and so does what draws its progress."""
        self._handle, self._is_over, fed = None, True, self._fed
        self._fed = None
        if os.getpid() == self._process:
            if fed is not None:
                fed.close()
            self._job.end()

    def __enter__(self) -> Sorter:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    # Arrow

    def take_order(self, reader: object) -> None:
        """The order comes out once: a second stream would be empty, which nobody expects of a table."""
        self._refuse_child()
        if self._is_over:
            raise UsageError('the sorter is closed')
        if self._reader not in (None, reader):
            raise UsageError('what this sorter has sorted was read already')
        self._reader = reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The sorted elements as a stream of Arrow's, for pyarrow, Polars, DuckDB: batches of columns as they were pushed, of
        NumPy's times with NaT as null. Read once."""
        from .arrow_c import stream_capsule
        from .arrow_table import AnySource, Columns, stream_of
        self._refuse_child()
        if self._fed is not None:
            return stream_capsule(AnySource(self, self._fed))
        self.finish()
        columns = self._columns or Columns.of_dtype(self._known_dtype())
        return stream_of(self, columns.with_count() if self._has_counts else columns)
