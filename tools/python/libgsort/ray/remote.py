"""Inputs that are read by ranges from elsewhere: objects on S3 (s3.py), and what pyarrow.fs or fsspec know by the scheme of their name:
gs://, abfs://, hdfs://, file:// and so on, with the credentials that these find on each node."""
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
def _system(uri: str) -> Tuple[Any, str]:
    """The file system that has it, and its name there."""
    import pyarrow as pa
    from pyarrow import fs
    try:
        return tuple(fs.FileSystem.from_uri(uri))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        try:
            from fsspec.core import url_to_fs
            system, path = url_to_fs(uri)
        except (ImportError, ValueError) as other:
            raise UsageError(f"'{uri}': {str(error).splitlines()[0]}; {other}") from None
        return fs.PyFileSystem(fs.FSSpecHandler(system)), path


@contextmanager
def _failures_of(uri: str) -> Iterator[None]:
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
    with _failures_of(pattern):
        system, path = _system(folder)
        names = [one.base_name for one in system.get_file_info(fs.FileSelector(path)) if one.type == fs.FileType.File]
    return [f'{folder}/{one}' for one in sorted(names) if fnmatchcase(one, name)]


def stamp(uri: str) -> Tuple[int, Union[int, str]]:
    """Size and time, of an object on S3 its tag."""
    if is_s3(uri):
        return s3.stamp(uri)
    with _failures_of(uri):
        system, path = _system(uri)
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
    with _failures_of(uri):
        system, path = _system(uri)
        with system.open_input_file(path) as file:
            for off in range(begin, end, most):
                block = file.read_at(min(most, end - off), off)
                if len(block) != min(most, end - off):
                    raise OSError('is shorter than it was')
                yield block
