"""Finds and reads input files in stores, by ranges. Outputs are in store.py.

Objects on S3 are in s3.py. The scheme of a name, such as gs:// or hdfs://, selects the file system
of pyarrow.fs or fsspec (access.py).
"""
from __future__ import annotations

import errno
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Iterator, List, Tuple, Union
from urllib.parse import quote

from ..errors import UsageError, file_error
from . import s3
from .access import Access, system_of


def is_remote(path: str) -> bool:
    return '://' in path


@contextmanager
def failures_of(uri: str) -> Iterator[None]:
    """Raises a FileError of one line for any OSError in the `with` block."""
    try:
        yield
    except FileNotFoundError:
        raise file_error(errno.ENOENT, f"'{uri}': no such file") from None
    except OSError as error:
        raise file_error(error.errno or 0, f"'{uri}': {error}") from None


def find(access: Access, pattern: str) -> List[str]:
    if access.is_s3(pattern):
        return s3.find(access, pattern)
    from pyarrow import fs
    folder, _, name = pattern.rpartition('/')
    if any(c in folder for c in '*['):
        raise UsageError(f"'{pattern}': * and [ are only possible in the last part of a name")
    with failures_of(pattern):
        system, path = system_of(access, folder)
        names = [one.base_name for one in system.get_file_info(fs.FileSelector(path))
                 if one.type == fs.FileType.File]
    # pyarrow's from_uri decodes names
    is_decoded = not access.kind and not system.type_name.startswith('py::')
    return [f'{folder}/{quote(one) if is_decoded else one}' for one in sorted(names)
            if fnmatchcase(one, name)]


def stamp(access: Access, uri: str) -> Tuple[int, Union[int, str]]:
    """Returns the size in bytes, and the time or, for an object on S3, the tag. Raises a FileError
    if there is no such file."""
    if access.is_s3(uri):
        return s3.stamp(access, uri)
    with failures_of(uri):
        system, path = system_of(access, uri)
        told = system.get_file_info(path)
        if not told.is_file:
            raise FileNotFoundError
        return told.size, told.mtime_ns or 0


def blocks(access: Access, uri: str, stamped: Tuple[int, Union[int, str]], begin: int, end: int,
           most: int) -> Iterator[bytes]:
    """Yields bytes [begin, end) of a file, in blocks of at most `most` bytes. `stamped` is the
    stamp that the file had.

    Raises a FileError if the file is shorter than `end`. For an object on S3, raises a GsortError
    if the tag has changed.
    """
    if access.is_s3(uri):
        for off in range(begin, end, most):
            yield s3.read(access, uri, str(stamped[1]), off, min(most, end - off))
        return
    with failures_of(uri):
        system, path = system_of(access, uri)
        with system.open_input_file(path) as file:
            for off in range(begin, end, most):
                block = file.read_at(min(most, end - off), off)
                if len(block) != min(most, end - off):
                    raise OSError('is shorter than it was')
                yield block
