"""Reads tables into pyarrow: from files, datasets and URLs, and from any library that exports Arrow
data."""
from __future__ import annotations

import ctypes
import errno
import glob
import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from ..arrays import is_arrow
from ..arrow_c import ArrowArray
from ..arrow_table import Batches
from ..errors import InputError, UsageError, file_error, type_error
from ..files import is_path
from .store import os_error


@dataclass(frozen=True)
class Source:
    """A file: `path` on this machine, or in a file system of pyarrow. name: as the user gave it"""

    name: str
    path: str
    system: Any = None

    def open(self) -> Any:
        """Returns what pyarrow reads: a path or a file."""
        return self.path if self.system is None else self.system.open_input_file(self.path)

    @property
    def bytes(self) -> int:
        return (os.path.getsize(self.path) if self.system is None
                else int(self.system.get_file_info(self.path).size))


def is_of_files(x: Any) -> bool:
    """Returns whether `x` is a dataset of Parquet files without filters, partitions or casts."""
    if (not isinstance(x, ds.FileSystemDataset) or not isinstance(x.format, ds.ParquetFileFormat)
        or getattr(x, '_scan_options', None)):
        return False
    first = next(iter(x.get_fragments()), None)
    return first is not None and bool(first.physical_schema.equals(x.schema))


def sources_of(x: Any, options: Optional[Mapping[str, Any]] = None) -> List[Source]:
    """Returns the files of a path, pattern or URL, of several, or of a dataset of pyarrow. The
    files of a pattern are in the order of their names.

    Raises a FileError if no file matches a pattern, and a TypeError for other objects.
    """
    if is_of_files(x):
        return [Source(path, path, x.filesystem) for path in x.files]
    given: Any = [x] if isinstance(x, (str, bytes, os.PathLike)) else x
    if hasattr(given, 'read') or not hasattr(given, '__iter__') or isinstance(x, ds.Dataset):
        raise type_error(f'src: {type(x).__name__} is neither a path nor a list of paths, nor a '
                         f'dataset of whole Parquet files')
    found = [source for path in given for source in _matches(os.fsdecode(path), options or {})]
    if not found:
        raise ValueError('no input is given')
    return found


def _matches(path: str, options: Mapping[str, Any]) -> List[Source]:
    is_pattern = any(c in path for c in '*?[')
    if '://' not in path or os.path.exists(path):
        names = sorted(glob.glob(path, recursive=True)
                       ) if is_pattern and not os.path.exists(path) else [path]
        found = [Source(name, name) for name in names]
    else:
        try:
            found = _at_url(path, is_pattern, options)
        except OSError as error:
            raise file_error(error.errno or 0, f"'{path}': {error}") from None
    if not found:
        raise file_error(errno.ENOENT, f"'{path}': no file matches")
    return found


def _at_url(path: str, is_pattern: bool, options: Mapping[str, Any]) -> List[Source]:
    if is_pattern:
        folder, _, last = path.rpartition('/')
        system, inner = file_system(folder, options)
        infos = system.get_file_info(fs.FileSelector(inner))
        return [Source(f'{folder}/{one.base_name}', one.path, system)
                for one in sorted(infos, key=lambda one: str(one.path))
                if one.is_file and fnmatchcase(one.base_name, last)]
    system, inner = file_system(path, options)
    return [Source(path, inner, system)]


BUFFER_BYTES = 1 << 20
BATCH_ROWS = 1 << 14
FORMATS = {'.arrow': 'ipc', '.feather': 'ipc', '.csv': 'csv', '.orc': 'orc', '.json': 'json'}


def open_parquet(source: Source, **how: Any) -> Any:
    """Returns a pyarrow.parquet.ParquetFile that reads pages as they are needed, and not whole row
    groups."""
    try:
        return pq.ParquetFile(source.open(), buffer_size=BUFFER_BYTES, pre_buffer=False, **how)
    except pa.ArrowInvalid as error:
        raise InputError(f"'{source.name}': is not a Parquet file: {error}") from None
    except OSError as error:
        raise os_error(error, source.name, 'open', -3) from None


def _opened(source: Source) -> Tuple[Any, Iterator[Any]]:
    """Returns the schema and the batches of a file. The end of its name tells the format; other
    files are Parquet."""
    form = FORMATS.get(os.path.splitext(source.path)[1])
    if form is None:
        file = open_parquet(source)
        return file.schema_arrow, file.iter_batches(BATCH_ROWS)
    try:
        made = ds.dataset(source.path, format=form, filesystem=source.system)
    except pa.ArrowInvalid as error:
        raise InputError(f"'{source.name}': is not a file of {form}: {error}") from None
    except OSError as error:
        raise os_error(error, source.name, 'open', -3) from None
    return made.schema, _scanned(made)


def _scanned(dataset: Any) -> Iterator[Any]:
    yield from dataset.scanner(batch_size=BATCH_ROWS, batch_readahead=1,
                               fragment_readahead=1).to_reader()


def _reader_of_files(sources: Sequence[Source]) -> Any:
    schema, first = _opened(sources[0])

    def batches() -> Iterator[Any]:
        yield from first
        for source in sources[1:]:
            other, found = _opened(source)
            if not other.equals(schema):
                raise type_error(f"'{source.name}': has other columns than '{sources[0].name}'")
            yield from found
    return pa.RecordBatchReader.from_batches(schema, batches())


def reader_of(x: Any, options: Optional[Mapping[str, Any]] = None) -> Any:
    """Returns a pyarrow.RecordBatchReader of files, a dataset, table, stream, batch or column, or
    of a LazyFrame of Polars.

    options: of fsspec, for URLs

    Raises a TypeError for other objects.
    """
    if is_path(x) or is_of_files(x):
        return _reader_of_files(sources_of(x, options))
    if isinstance(x, ds.Dataset):
        return pa.RecordBatchReader.from_batches(x.schema, _scanned(x))
    if hasattr(x, 'collect_batches'):
        schema = imported(x.head(0).collect()).schema
        return pa.RecordBatchReader.from_batches(schema, (batch for frame in x.collect_batches()
                                                          for batch in imported(frame)))
    if isinstance(x, (pa.Array, pa.ChunkedArray)) and not isinstance(x, pa.RecordBatch):
        x = pa.table({'value': x})
    elif hasattr(x, 'to_frame'):  # a Series
        x = x.to_frame()
    # its batches may have other schemas, which an Arrow stream would not show
    if isinstance(x, pa.RecordBatchReader):
        return x
    if is_arrow(x):
        return imported(x)
    raise TypeError(f"sort_table(): {type(x).__name__} is not an Arrow table; it needs "
                    f"__arrow_c_stream__, as tables of "
                    'pyarrow, Polars, DuckDB and pandas have')


def imported(data: Any) -> Any:
    """Returns a pyarrow.RecordBatchReader of an object with __arrow_c_stream__ or
    __arrow_c_array__. A single column yields a table with it."""
    def parts() -> Iterator[Any]:
        with Batches(data) as batches:
            yield schema_of(batches)[0]
            for batch in batches:
                yield batch_of(batches, batch)
    made = parts()
    return pa.RecordBatchReader.from_batches(next(made), made)


def schema_of(batches: Batches) -> Tuple[pa.Schema, bool]:
    """Returns the schema for pyarrow, and whether it is the schema of a table. A single column
    yields a schema with one field."""
    if batches.of_pyarrow is None:
        is_table = batches.schema.format == b'+s'
        at = ctypes.addressof(batches.schema)
        if is_table:
            schema = pa.Schema._import_from_c(at)
        else:
            field = pa.Field._import_from_c(at)
            schema = pa.schema([field.with_name(field.name or 'value')])
        batches.of_pyarrow = schema, is_table
    return batches.of_pyarrow


def batch_of(batches: Batches, batch: ArrowArray) -> pa.RecordBatch:
    """Returns the batch as a RecordBatch of pyarrow, which then owns its memory."""
    (schema, is_table), at = schema_of(batches), ctypes.addressof(batch)
    if is_table and batch.offset == 0 and batch.null_count == 0:
        rows = pa.RecordBatch._import_from_c(at, schema)
        return rows.slice(0, rows.num_rows)  # cuts columns that are longer than the batch
    if is_table:
        rows = pa.Array._import_from_c(at, pa.struct(list(schema)))
        if rows.null_count > 0:
            raise ValueError(f'{rows.null_count} rows are null as a whole; only their columns may '
                             f'be null')
        return pa.RecordBatch.from_struct_array(rows)
    return pa.RecordBatch.from_arrays([pa.Array._import_from_c(at, schema.types[0])], schema=schema)


def file_system(uri: str, options: Mapping[str, Any]) -> Tuple[Any, str]:
    """Returns the file system of pyarrow for a URI, and the path in it. Raises a UsageError if
    there is no file system for it.

    pyarrow is tried first, then fsspec. With options of fsspec only fsspec is tried. For gs:// the
    gcsfs of fsspec is first, because it can join objects.
    """
    said = ''
    tries: Tuple[bool, ...] = (False, True)  # whether by fsspec
    if options or uri.startswith(('gs://', 'gcs://')):
        tries = (True,) if options else (True, False)
    for of_fsspec in tries:
        try:
            if not of_fsspec:
                found = tuple(fs.FileSystem.from_uri(uri))
                # pyarrow cuts the path there: a removal would remove another file
                if '#' in uri or '?' in uri:
                    raise ValueError('# and ? cannot be in a path there; give filesystem=')
                return found
            from fsspec.core import url_to_fs
            system, path = url_to_fs(uri, **{'use_listings_cache': False, **options})
            return fs.PyFileSystem(fs.FSSpecHandler(system)), path
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ImportError, ValueError) as error:
            said += f'; {str(error).splitlines()[0]}'
    raise UsageError(f"'{uri}': {said[2:]}")
