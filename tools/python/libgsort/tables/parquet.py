"""sort_parquet: sorts Parquet files into one, by any keys. They may be larger than memory.

A file is read batch by batch, through a buffer of one MiB per column, and never by whole row
groups. Two row groups of the output are in memory: one is encoded while the next one is merged. The
output has no name until all of it is on disk.
"""
from __future__ import annotations

import contextlib
import os
import shutil
import stat
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Set,
                    Tuple, Union)

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import Error, InputError, VerifyError, file_error
from ..progress import Shown
from .sort import TableSorter, folder_of, memory_of, of_malloc
from .sources import Source, file_system, open_parquet, sources_of
from .store import open_unnamed, os_error

if TYPE_CHECKING:
    from ..cancel import Cancel
    from ..keywords import Keys, Path
    from ..progress import Progressing
    from ..report import TableReport

# per column of Parquet: the buffer, a page and a dictionary, both compressed and decompressed
COLUMN_BYTES = 4 << 20
CODECS = {'UNCOMPRESSED': 'none'}  # name that pyarrow reports -> name that it accepts
WRITTEN = ('none', 'snappy', 'gzip', 'brotli', 'lz4', 'zstd')


@of_malloc()
def sort_parquet(src: Any, dst: Path, order: Tuple[Keys, Any, str],
                 memory: Union[int, str, None], style: Mapping[str, Any], temp: Optional[Path],
                 progress: Progressing, cancel: Optional[Cancel],
                 options: Optional[Mapping[str, Any]]) -> TableReport:
    """order: the keys, whether they descend, and where nulls are. style: compression,
    compression_level and row_group_size; each may be None, for the defaults of
    libgsort.sort_parquet. options: of fsspec, for URLs"""
    ceiling = memory_of(memory)
    sources = sources_of(src, options)
    row_group_size = style['row_group_size']
    if row_group_size is not None and row_group_size < 1:
        raise ValueError(f'row_group_size: {row_group_size} is less than 1 row')
    target = os.fsdecode(dst)
    is_local = '://' not in target or os.path.isdir(os.path.dirname(target))
    if is_local:
        target = os.path.realpath(target)
        _refuse_target(target)
    shown = Shown(progress)
    try:
        first = open_parquet(sources[0])
        schema, written = first.schema_arrow, Style(first, **style)
        # INT96 columns are read twice
        columns = first.metadata.num_columns + len(_int96_columns(first))
        left = max(ceiling - columns * COLUMN_BYTES, ceiling // 2)
        folder = os.path.dirname(target) if is_local and temp is None else folder_of(temp)
        keys, descending, nulls = order
        sorter = TableSorter(schema, keys, nulls, left, folder, cancel, descending=descending)
        sorter.report.memory = ceiling
        total, done = sum(source.bytes for source in sources), 0
        for source in sources:
            file = first if source is sources[0] else open_parquet(source)
            if not file.schema_arrow.equals(schema):
                raise TypeError(f"'{source.name}': has other columns than '{sources[0].name}'")
            written.see(file)
            done = _read(file, source, sorter, lambda at: shown.at('read', at, total), done)
        del first, file
        with Placed(target) if is_local else Uploaded(target, folder, options) as out:
            _write(written, out, sorter, shown)
    finally:
        shown.end()
    return sorter.report


def _write(written: Style, out: Placed, sorter: TableSorter, shown: Shown) -> None:
    try:
        written.write(out, sorter, shown)
    except Error:
        raise
    except OSError as error:
        raise os_error(error, out.target, 'write') from None
    if pq.read_metadata(out.path).num_rows != sorter.report.rows:
        raise VerifyError(f"'{out.target}': the rows that were written differ from those that were "
                          f"read")
    out.commit()


def _int96_columns(file: Any) -> List[str]:
    columns = [file.schema.column(i) for i in range(len(file.schema))]
    return [column.path for column in columns if column.physical_type == 'INT96']


def _refuse_far_times(file: Any, source: Source, step: int) -> Iterator[None]:
    """Refuses INT96 times that nanoseconds cannot hold; pyarrow would read them as other times,
    without an error.

    Spark and Hive write times as INT96. Each step of the iteration checks `step` rows.
    """
    names = _int96_columns(file)
    if not names:
        return
    schema = file.read_row_groups([], columns=names).schema
    # 'ms' can hold all times
    coarse = open_parquet(source, coerce_int96_timestamp_unit='ms')
    for batch in coarse.iter_batches(batch_size=step, columns=names):
        for field, column in zip(schema, batch.columns):
            try:
                column.cast(field.type)
            except pa.ArrowInvalid:
                raise InputError(
                    f"'{source.name}': column '{field.name}' has an INT96 time outside of "
                    f"1677..2262, which nanoseconds cannot hold; read it by pyarrow with "
                    f"coerce_int96_timestamp_unit='us', and use sort_table()") from None
        yield


def _read(file: Any, source: Source, sorter: TableSorter, show: Callable[[int], None],
          done: int) -> int:
    meta = file.metadata
    size, rows = source.bytes, 0
    row_bytes = sum(meta.row_group(i).total_byte_size
                    for i in range(meta.num_row_groups)) // max(meta.num_rows, 1) + 1
    step = max(64, min(1 << 16, sorter.memory // 48 // row_bytes))
    times = _refuse_far_times(file, source, step)
    for batch in file.iter_batches(batch_size=step):
        next(times, None)
        sorter.push(batch)
        rows += batch.num_rows
        show(done + size * rows // meta.num_rows)
    for _ in times:  # batches of fewer columns may end at other rows
        pass
    if rows != meta.num_rows:
        raise InputError(f"'{source.name}': has {rows} rows, but its footer says {meta.num_rows}")
    return done + size


class Style:
    """How the output is written: by default as the first input."""

    def __init__(self, file: Any, compression: Optional[str], compression_level: Optional[int],
                 row_group_size: Optional[int]) -> None:
        meta = file.metadata
        self.row_group_size = row_group_size
        self.rows_most = 1
        # then Arrow and Parquet number the columns equally
        self.is_flat = meta.num_columns == len(file.schema_arrow)
        columns = [meta.row_group(0).column(i)
                   for i in range(meta.num_columns)] if meta.num_row_groups > 0 else []
        found = {column.path_in_schema: CODECS.get(column.compression, column.compression)
                 for column in columns}
        self.options: Dict[str, Any] = {'compression': compression or found or 'snappy',
                                        'compression_level': compression_level}
        _refuse_codecs(compression, {compression} if compression else set(found.values()),
                       compression_level)
        if columns:
            self.options['write_page_index'] = all(getattr(column, 'has_offset_index', False)
                                                   for column in columns)

    def see(self, file: Any) -> None:
        meta = file.metadata
        self.rows_most = max(self.rows_most,
                             *(meta.row_group(i).num_rows for i in range(meta.num_row_groups)), 1)

    def write(self, out: Placed, sorter: TableSorter, shown: Shown) -> None:
        groups = self._row_groups(sorter)
        # after that all groups were sorted, so split_columns is complete
        first = list(islice(groups, 1))
        self.options['sorting_columns'] = _sorting_columns(sorter) if self.is_flat else None
        rows_done = 0
        with pq.ParquetWriter(out.path, sorter.schema, **self.options) as writer:
            for rows in _ahead(lambda table: _encode(writer, table), chain(first, groups)):
                rows_done += rows
                shown.at('write', sorter.taken_bytes * rows_done // max(sorter.report.rows, 1),
                         sorter.taken_bytes)

    def _row_groups(self, sorter: TableSorter) -> Iterator[Any]:
        """Yields row groups of `row_group_size` rows, or fewer.

        A quarter of memory must hold three copies: a row group as columns, the same one encoded,
        and the next one.
        """
        want = self.row_group_size or self.rows_most
        batches: List[Any] = []
        rows = size = 0
        for batch in sorter.batches():
            while batch.num_rows > 0:
                piece = batch.slice(0, want - rows)
                batch = batch.slice(piece.num_rows)
                batches.append(piece)
                rows, size = rows + piece.num_rows, size + piece.nbytes
                if rows == want or size > sorter.memory // 12:
                    yield pa.Table.from_batches(batches)
                    batches, rows, size = [], 0, 0
        if batches:
            yield pa.Table.from_batches(batches)


def _refuse_codecs(asked: Optional[str], names: Set[str], level: Optional[int]) -> None:
    """Refuses a compression now that pyarrow would refuse only after the sort."""
    if asked is not None and asked.lower() not in WRITTEN:
        raise ValueError(f"compression: '{asked}' is not one of: {' '.join(WRITTEN)}")
    for name in names if level is not None else ():
        try:
            if name.lower() != 'none':
                pa.Codec(name.lower(), compression_level=level)
        except (OSError, ValueError) as error:
            raise ValueError(f'compression_level: {level}: {error}') from None


def _ahead(function: Callable[[Any], int], items: Iterator[Any]) -> Iterator[int]:
    """Yields function(item) for each item, in order. While the caller makes the next item,
    function(item) is computed."""
    with ThreadPoolExecutor(1) as pool:
        waiting: Optional[Future[int]] = None
        for item in items:
            before, waiting = waiting, pool.submit(function, item)
            del item
            if before is not None:
                yield before.result()
        if waiting is not None:
            yield waiting.result()


def _encode(writer: Any, table: Any) -> int:
    writer.write_table(table, row_group_size=max(table.num_rows, 1))
    pa.default_memory_pool().release_unused()
    return int(table.num_rows)


def _sorting_columns(sorter: TableSorter) -> Any:
    """Returns the sorting columns that the file declares to its readers."""
    found = []
    for key in sorter.keys:
        kind = sorter.schema.field(key.column).type
        # ordered by its indexes, but readers expect an order of values
        if pa.types.is_dictionary(kind) and kind.ordered:
            break
        found.append(pq.SortingColumn(key.column, descending=key.is_descending,
                                      nulls_first=sorter.order.nulls_first))
        is_of_floats = pa.types.is_dictionary(kind) and pa.types.is_floating(kind.value_type)
        # some of its values are equal for readers, such as -0 and 0
        if key.column in sorter.order.split_columns or is_of_floats:
            break
    return found or None


def _refuse_target(target: str) -> None:
    if os.path.exists(target) and not os.path.isfile(target):
        raise file_error(0, f"'{target}': is not a regular file; name a file for the Parquet "
                            f"output")


class Placed:
    """A file that gets its name after all of it is on disk. Until then, an old file with that name
    does not change."""

    def __init__(self, target: str) -> None:
        self.target, self.folder = target, os.path.dirname(target)
        try:
            # the name must be removed after a failure
            self.fd, self.name = open_unnamed(self.folder)
        except OSError as error:
            raise os_error(error, target, 'write') from None
        self.path = self.name or f'/proc/self/fd/{self.fd}'

    def __enter__(self) -> Placed:
        return self

    def __exit__(self, *failed: object) -> None:
        os.close(self.fd)
        if self.name is not None:
            os.unlink(self.name)

    def commit(self) -> None:
        try:
            os.fchmod(self.fd, self._mode())
            os.fsync(self.fd)
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                self.name = self.name or self._link(folder)
                os.rename(self.name, self.target)
                self.name = None
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise os_error(error, self.target, 'write') from None

    def _mode(self) -> int:
        """Returns the mode of the file that is replaced, or for a new file the mode that the umask
        allows."""
        try:
            return stat.S_IMODE(os.stat(self.target).st_mode)
        except FileNotFoundError:
            # os.umask() would change it for all threads for a moment
            with open('/proc/self/status', 'rb') as status:
                umask = next((int(line.split()[1], 8) for line in status
                              if line.startswith(b'Umask:')), 0o077)
            return 0o666 & ~umask

    def _link(self, folder: int) -> str:
        """Gives the file a temporary name, and returns it. Python follows the link in /proc only if
        src_dir_fd is given."""
        while True:
            name = os.path.join(self.folder, f'.gsort-{os.urandom(8).hex()}')
            try:
                os.link(self.path, name, src_dir_fd=folder, follow_symlinks=True)
                return name
            except FileExistsError:
                pass


class Uploaded(Placed):
    """A temporary file in `folder` that is copied to a URL after all of it is written. It gets its
    name there by a move, so readers never see a part of it."""

    def __init__(self, url: str, folder: str, options: Optional[Mapping[str, Any]]) -> None:
        self.system, self.place = file_system(url, options or {})
        super().__init__(os.path.join(folder, 'output'))
        self.target = url

    def commit(self) -> None:
        made = f'{self.place}.gsort-{os.urandom(8).hex()}'
        try:
            try:
                with open(self.path, 'rb') as file, \
                        self.system.open_output_stream(made, compression=None) as out:
                    shutil.copyfileobj(file, out, 8 << 20)
                self.system.move(made, self.place)
            except BaseException:
                with contextlib.suppress(OSError):
                    self.system.delete_file(made)
                raise
        except OSError as error:
            raise os_error(error, self.target, 'write') from None
