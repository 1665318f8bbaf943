"""Files elsewhere: objects on S3 (s3.py), and what pyarrow.fs or fsspec know by the scheme of their name: gs://, abfs://, hdfs://,
file:// and so on, with the credentials that these find on each node. Inputs are read by ranges; outputs are in store.py."""
from __future__ import annotations

import errno
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Iterator, List, Tuple, Union

from ..errors import UsageError, file_error
from . import s3


def is_s3(path: str) -> bool:
    return path.startswith('s3://')


def is_remote(path: str) -> bool:
    return '://' in path


@lru_cache(maxsize=None)
def system_of(uri: str) -> Tuple[Any, str]:
    """The file system that has it, and its name there: pyarrow's, else fsspec's; Google's by gcsfs, if that is installed, which merges."""
    import pyarrow as pa
    from pyarrow import fs
    said = ''
    for of_fsspec in (True, False) if uri.startswith(('gs://', 'gcs://')) else (False, True):
        try:
            if not of_fsspec:
                return tuple(fs.FileSystem.from_uri(uri))
            from fsspec.core import url_to_fs
            system, path = url_to_fs(uri, use_listings_cache=False)  # others write there, too
            return fs.PyFileSystem(fs.FSSpecHandler(system)), path
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ImportError, ValueError) as error:
            said += f'; {str(error).splitlines()[0]}'
    raise UsageError(f"'{uri}': {said[2:]}")


@contextmanager
def failures_of(uri: str) -> Iterator[None]:
    """What a file system refuses is one line."""
    try:
        yield
    except FileNotFoundError:
        raise file_error(errno.ENOENT, f"'{uri}': no such file") from None
    except OSError as error:
        raise file_error(error.errno or 0, f"'{uri}': {error}") from None


def find(pattern: str) -> List[str]:
    if is_s3(pattern):
        return s3.find(pattern)
    from pyarrow import fs
    folder, _, name = pattern.rpartition('/')
    if any(c in folder for c in '*['):
        raise UsageError(f"'{pattern}': * and [ are for the last part of a name")
    with failures_of(pattern):
        system, path = system_of(folder)
        names = [one.base_name for one in system.get_file_info(fs.FileSelector(path)) if one.type == fs.FileType.File]
    return [f'{folder}/{one}' for one in sorted(names) if fnmatchcase(one, name)]


def stamp(uri: str) -> Tuple[int, Union[int, str]]:
    """Size and time, of an object on S3 its tag."""
    if is_s3(uri):
        return s3.stamp(uri)
    with failures_of(uri):
        system, path = system_of(uri)
        told = system.get_file_info(path)
        if not told.is_file:
            raise FileNotFoundError
        return told.size, told.mtime_ns or 0


def blocks(uri: str, stamped: Tuple[int, Union[int, str]], begin: int, end: int, most: int) -> Iterator[bytes]:
    """Of the file that had that stamp."""
    if is_s3(uri):
        for off in range(begin, end, most):
            yield s3.read(uri, str(stamped[1]), off, min(most, end - off))
        return
    with failures_of(uri):
        system, path = system_of(uri)
        with system.open_input_file(path) as file:
            for off in range(begin, end, most):
                block = file.read_at(min(most, end - off), off)
                if len(block) != min(most, end - off):
                    raise OSError('is shorter than it was')
                yield block
