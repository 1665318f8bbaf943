"""Finds the input files, divides them into pieces for map tasks, and reads elements at some
positions of a sorted file."""
from __future__ import annotations

import errno
import glob
import io
import os
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import UsageError, file_error
from . import gsort, store
from .access import Access
from .cut import Order, Places
from .store import is_remote

Stamp = Tuple[int, Union[int, str]]  # a file's size and time, or an object's size and tag

NEAR = 1 << 16  # bytes: positions within this distance are read at once
BEGINNING = 4096  # bytes by which gsort recognizes a format


@dataclass(frozen=True)
class Piece:
    """The input of one map task: elements [first, first + count) of a file. count None: all of a
    compressed file"""

    path: str
    first: int
    count: Optional[int]
    bytes: int
    stamp: Stamp

    def words(self, before: int = 0) -> List[str]:
        """Returns gsort's arguments to read the piece, and `before` elements before it."""
        part = [] if self.count is None else ['--range',
                                              f'{self.first - before}:{self.count + before}']
        return [*part, self.path]


def expand(patterns: Sequence[str], access: Access = Access()) -> List[str]:
    """Returns the files that names and patterns match, with absolute paths. The files of a pattern
    are in the order of their names.

    Raises a FileError if nothing matches or a file is missing, and a UsageError for special files.
    """
    found: List[str] = []
    for pattern in patterns:
        names = [pattern]
        if is_remote(pattern):
            if any(c in pattern for c in ('*?[' if access.is_s3(pattern) else '*[')):
                names = store.find(access, pattern)
        elif not os.path.exists(pattern) and any(c in pattern for c in '*?['):
            names = sorted(glob.glob(pattern))
        if not names:
            raise file_error(errno.ENOENT, f"'{pattern}': no file matches")
        found += names
    if not found:
        raise UsageError('no input is given')
    for path in found:
        if not is_remote(path):
            _refuse_input(path)
    return [path if is_remote(path) else absolute(path) for path in found]


def absolute(path: str) -> str:
    """Returns an absolute path. Unlike os.path.abspath, it resolves `..` after a link to a folder
    as the system does.

    Other links are not resolved, because they may lead elsewhere on other nodes.
    """
    found = '/'
    for name in os.path.join(os.getcwd(), path).split('/'):
        if name == '..':
            found = os.path.dirname(os.path.realpath(found) if os.path.islink(found) else found)
        elif name not in ('', '.'):
            found = os.path.join(found, name)
    return found


def _refuse_input(path: str) -> None:
    """Raises an error if a file is missing, a folder, or a special file. Tasks cannot read parts of
    these."""
    try:
        if os.path.isdir(path):
            raise file_error(errno.EISDIR,
                             f"'{path}': is a folder; for its files use '{path.rstrip('/')}/*'")
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UsageError(f"'{path}': is not a regular file, of which tasks read parts; sort it "
                             f"by gsort on one machine")
    except FileNotFoundError:
        raise file_error(errno.ENOENT, f"'{path}': no such file") from None


def beginning(path: str, count: int, raw: bool = False) -> bytes:
    """Returns the first `count` bytes of a file. Decompresses a .zst file, except if `raw`. Raises
    a FileError if it is damaged."""
    with open(path, 'rb') as file:
        if raw or not path.endswith('.zst'):
            return file.read(count)
        import pyarrow as pa
        try:
            with pa.CompressedInputStream(file, 'zstd') as unpacked:
                return bytes(unpacked.read(count))
        except OSError as error:
            raise file_error(error.errno or 0, f"'{path}': {error}") from None


def npy_dtype(path: str) -> Optional[Tuple[Any, int]]:
    """Returns the dtype of a .npy file and the bytes of its header. None: it is not a .npy file.

    Raises a UsageError if the file is compressed, or if its header has a version above 2.
    """
    if is_remote(path) or beginning(path, 6) != b'\x93NUMPY':
        return None
    if path.endswith('.zst'):
        raise UsageError(f"'{path}': the header of a compressed .npy file cannot be read; "
                         f"decompress the file")
    with open(path, 'rb') as file:
        version = np.lib.format.read_magic(file)
        if version > (2, 0):
            raise UsageError(f"'{path}': its .npy header has version {version[0]}, because field "
                             f"names are not Latin-1; parts cannot have such names")
        read = (np.lib.format.read_array_header_1_0 if version == (1, 0)
                else np.lib.format.read_array_header_2_0)
        return read(file)[2], file.tell()


def refuse_formats(program: str, order: Order, stamps: Sequence[Tuple[str, Stamp]],
                   access: Access) -> None:
    """Raises a UsageError if a file in a store begins like a format that gsort reads or refuses.
    Tasks read such files as plain data."""
    what = [*(word for word in order.options if word != '--raw'), '-o', os.devnull]
    most = -(-BEGINNING // order.element_bytes)

    def begins(told: Tuple[str, Stamp]) -> bytes:
        length = min(told[1][0] // order.element_bytes, most) * order.element_bytes
        return b''.join(store.blocks(access, *told, 0, length, max(1, length)))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(32) as pool:
        found, listed = dict(stamps), os.path.join(folder, 'list')
        names = {os.path.join(folder, str(i)): path for i, path in enumerate(found)}
        for name, data in zip(names, pool.map(begins, found.items())):
            with open(name, 'wb') as file:
                file.write(data)

        def refusal(those: List[str]) -> Optional[str]:
            with open(listed, 'wb') as file:
                file.write(b'\0'.join(map(os.fsencode, those)))
            try:
                told, raw = (gsort.run(program, [*what, *more, '--files0-from', listed])['tally']
                             for more in ((), ('--raw',)))
                return None if told == raw else ''
            except gsort.GsortError as error:
                return error.text.partition(f"'{those[0]}': ")[2]

        those = list(names)
        said = refusal(those)
        while said is not None and len(those) > 1:  # bisects, to name the file
            half = those[:len(those) // 2]
            those = half if refusal(half) is not None else those[len(half):]
            said = refusal(those)
        if said is not None:
            if not said.startswith('looks like'):
                said = ('begins like a format that gsort reads (.npy, zstd and others), but files '
                        'in a store must be plain; --raw sorts them as they are')
            raise UsageError(f"'{names[those[0]]}': {said}")


def head_of(head: Any, count: int) -> bytes:
    """Returns the bytes before the first of `count` elements. head: these bytes, or the dtype for a
    header of .npy"""
    if isinstance(head, bytes):
        return head
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {'descr': np.lib.format.dtype_to_descr(head),
                                                'fortran_order': False, 'shape': (count,)})
    return text.getvalue()


def pieces(stamps: Sequence[Tuple[str, Stamp]], element_bytes: int, header: int, most: int,
           raw: bool) -> List[Piece]:
    """Returns pieces of the inputs. A piece has at most about `most` bytes; the pieces of a file
    are nearly equal.

    header: bytes before the elements of each file
    raw: a .npy header is data

    Raises a UsageError if a file does not have a whole number of elements.
    """
    found: List[Piece] = []
    for path, stamp in stamps:
        size = stamp[0]
        if path.endswith('.zst'):
            found.append(Piece(path, 0, None, size, stamp))
            continue
        npy = npy_dtype(path) if size and not raw else None
        data = size - (npy[1] if npy else header)
        if data < 0 or data % element_bytes:
            raise UsageError(f"'{path}': {data} bytes are not a whole number of elements of "
                             f"{element_bytes} bytes")
        count = data // element_bytes
        parts = max(1, -(-data // most))
        for i in range(parts):
            first, behind = count * i // parts, count * (i + 1) // parts
            found.append(Piece(path, first, behind - first, (behind - first) * element_bytes,
                               stamp))
    return found


def measure(paths: Sequence[str], access: Access = Access()) -> List[Tuple[str, Stamp]]:
    """Returns (path, current stamp) for each file and object."""
    names = list(dict.fromkeys(paths))
    with ThreadPoolExecutor(32) as pool:
        stamps = dict(zip(names, pool.map(lambda path: _measure(path, access), names)))
    return [(path, stamps[path]) for path in paths]


def _measure(path: str, access: Access) -> Stamp:
    if is_remote(path):
        return store.stamp(access, path)
    told = status(path)
    # not the inode, because FUSE may give a file another one each time
    return told.st_size, told.st_mtime_ns


def status(path: str) -> os.stat_result:
    """Returns the current status of a file. Opens it first, because NFS then asks its server."""
    with open(path, 'rb') as file:
        return os.fstat(file.fileno())


def are_whole(files: Sequence[Tuple[str, int]]) -> List[bool]:
    """Returns for each (path, size) whether the file exists with this size in bytes."""
    return [os.path.exists(path) and os.path.getsize(path) == size for path, size in files]


def elements_at(path: str, off: int, element_bytes: int, places: Places) -> bytes:
    """Returns the elements at `places` of a file whose data begin at byte `off`. Raises an OSError
    if the file is too short.

    The places rise.
    """
    told: List[bytes] = []
    with open(path, 'rb', buffering=0) as file:
        begin = 0
        while begin < len(places):
            first = int(places[begin])
            reach = places[begin:begin + NEAR // element_bytes + 1] - first
            near = max(1, int(np.searchsorted(reach, NEAR // element_bytes)))
            span = int(reach[near - 1]) + 1
            data = os.pread(file.fileno(), span * element_bytes, off + first * element_bytes)
            if len(data) != span * element_bytes:
                raise OSError(f"'{path}' is shorter than it was")
            told.append(np.frombuffer(data, f'V{element_bytes}')[reach[:near]].tobytes())
            begin += near
    return b''.join(told)
