"""Inputs: which files, what of them a map task reads, where data begin; elements here and there of a sorted file."""
from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .order import Places

NEAR = 1 << 16  # places that are so near each other, in bytes, are read at once


@dataclass(frozen=True)
class Piece:
    """What one map task sorts: elements [first, first + count) of a file; count None: all of a file that is packed."""

    path: str
    first: int
    count: Optional[int]
    bytes: int
    stamp: Tuple[int, int]  # size and time of the file


def is_s3(path: str) -> bool:
    return path.startswith('s3://')


def file_system(path: str) -> Tuple[Any, str]:
    """pyarrow's, with the credentials and the endpoint that this node has."""
    from pyarrow import fs
    key, endpoint = path[len('s3://'):], os.environ.get('AWS_ENDPOINT_URL')
    where: Dict[str, str] = {}
    if endpoint:
        where['scheme'], _, where['endpoint_override'] = endpoint.partition('://')
    region = os.environ.get('AWS_REGION') or os.environ.get('AWS_DEFAULT_REGION')
    where['region'] = region or fs.resolve_s3_region(key.partition('/')[0])
    return fs.S3FileSystem(**where, retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=6)), key


def expand(patterns: Sequence[str]) -> List[str]:
    """Files by their names or patterns, those of a pattern in the order of their names."""
    found: List[str] = []
    for pattern in patterns:
        if is_s3(pattern) and any(c in pattern for c in '*?['):
            found += _expand_s3(pattern)
        elif not is_s3(pattern) and not os.path.exists(pattern) and any(c in pattern for c in '*?['):
            found += sorted(glob.glob(pattern))
        else:
            found.append(pattern)
    if not found:
        raise FileNotFoundError(f"no file is '{' '.join(patterns)}'")
    return [path if is_s3(path) else os.path.abspath(path) for path in found]


def _expand_s3(pattern: str) -> List[str]:
    from fnmatch import fnmatchcase

    from pyarrow import fs
    system, path = file_system(pattern)
    folder = path[:min(path.index(c) for c in '*?[' if c in path)].rpartition('/')[0]
    infos = system.get_file_info(fs.FileSelector(folder, recursive=True))
    return ['s3://' + info.path for info in sorted(infos, key=lambda info: str(info.path))
            if info.type == fs.FileType.File and fnmatchcase(info.path, path)]


def npy_dtype(path: str) -> Optional[Tuple[Any, int]]:
    """The dtype and the length of the header of a .npy file; None: it is none."""
    if is_s3(path) or path.endswith('.zst'):
        return None
    with open(path, 'rb') as file:
        if file.read(6) != b'\x93NUMPY':
            return None
        file.seek(0)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        return read(file)[2], file.tell()


def pieces(paths: Sequence[str], element_bytes: int, header: int, most: int) -> List[Piece]:
    """The inputs in pieces of `most` bytes; nearly equal ones of each file."""
    found: List[Piece] = []
    for path in paths:
        size, stamp = _measure(path)
        if path.endswith('.zst'):
            found.append(Piece(path, 0, None, size, stamp))
            continue
        npy = npy_dtype(path) if size else None
        data = size - (npy[1] if npy else header)
        if data < 0 or data % element_bytes:
            raise ValueError(f"'{path}': {data} bytes are no whole number of elements of {element_bytes}")
        count = data // element_bytes
        parts = max(1, -(-data // most))
        for i in range(parts):
            first, behind = count * i // parts, count * (i + 1) // parts
            found.append(Piece(path, first, behind - first, (behind - first) * element_bytes, stamp))
    return found


def _measure(path: str) -> Tuple[int, Tuple[int, int]]:
    if not is_s3(path):
        status = os.stat(path)
        return status.st_size, (status.st_size, status.st_mtime_ns)
    system, key = file_system(path)
    info = system.get_file_info(key)
    if info.size is None:
        raise FileNotFoundError(f"'{path}': no such object")
    return info.size, (info.size, info.mtime_ns or 0)


def elements_at(path: str, off: int, element_bytes: int, places: Places) -> bytes:
    """Elements of a file whose data begin at `off`; the places rise, but for where another cut begins."""
    told: List[bytes] = []
    with open(path, 'rb', buffering=0) as file:
        begin = 0
        while begin < len(places):
            first = int(places[begin])
            reach = places[begin:begin + NEAR // element_bytes + 1] - first
            near = int(np.argmax((reach < 0) | ((reach + 1) * element_bytes > NEAR))) or len(reach)
            span = int(reach[near - 1]) + 1
            data = os.pread(file.fileno(), span * element_bytes, off + first * element_bytes)
            if len(data) != span * element_bytes:
                raise OSError(f"'{path}' is shorter than it was")
            told.append(np.frombuffer(data, f'V{element_bytes}')[reach[:near]].tobytes())
            begin += near
    return b''.join(told)
