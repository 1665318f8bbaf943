"""Reads inputs from stores by ranges, and writes an output to a store. Objects on S3 are read and
uploaded in s3.py. The scheme of other names, such as gs:// or hdfs://, selects the file system of
pyarrow.fs or fsspec (access.py).

Each task writes its own part, and the commit moves all parts to their places:

    gs://bucket/out/_gsort-1a2b3c/part-00001.9f3c    written by one try of a task; readers of
                                                     tables skip names that begin with _
    gs://bucket/out/part-00001       moved here after all parts are verified
    gs://bucket/out/manifest.json    removed before the first move, and written after the last one:
                                     then the folder is complete

One object is a single part, or several parts that the store joins. For that, the file system of
fsspec must have `merge`, like gcsfs.
"""
from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, Callable, Iterator, List, Optional, Sequence, Set, Tuple, Union
from urllib.parse import quote

from ..errors import UsageError, file_error
from . import gsort, s3
from .access import Access, system_of

MANIFEST = 'manifest.json'
CLAIM = 'at-work'  # a file in the folder of parts, which exists as long as the folder
# a file in the folder of parts: the manifest of the previous output, after its removal
OLD = 'old-manifest'
# file systems of pyarrow in which folders exist only as parts of names
OBJECTS = ('s3', 'gcs', 'abfs')
MOVES = 16  # at the same time
MERGED = 32  # parts in one merge: the maximum of Google
BLOCK = 8 << 20  # bytes
EDGE = 1 << 16  # bytes at both ends of a part by which it is recognized
# values of a part's report that a row of a manifest contains
TOLD = ('tally', 'unique_count', 'first_key', 'last_key')
ROW = {'file', 'first', 'tally'}  # values that each row contains


# ---- inputs ----


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


# ---- the output ----


def _split(output: str) -> Tuple[str, str]:
    """Returns the folder of an output, without a final /, and the name in it. For a folder of
    parts, the name is ''."""
    folder, _, name = output.rpartition('/')
    return folder, name


def _info(access: Access, uri: str) -> Any:
    system, path = system_of(access, uri)
    return system.get_file_info(path)


def _merging(access: Access, output: str) -> Any:
    """Returns the function by which the store joins objects, so that the result appears whole.
    None: the store has no such function."""
    system = system_of(access, output)[0]
    return (getattr(system.handler.fs, 'merge', None) if system.type_name.startswith('py::fsspec')
            else None)


def refuse(access: Access, output: str, parts: int) -> None:
    """Raises a UsageError for one object of several parts in a store that cannot join them. parts:
    as the user gave them; 0: not given"""
    if not output.endswith('/') and parts != 1 and _merging(access, output) is None:
        raise UsageError(f"'{output}': this store cannot join objects; end the name in / for a "
                         f"folder of parts, or give --parts 1")


def _place(access: Access, name: str, is_input: bool) -> Tuple[str, str]:
    """Returns the store of a file and its path there. They are equal for different names of the
    same file."""
    scheme, is_named, rest = name.partition('://')
    if not is_named:
        return 'local', os.path.realpath(name)
    if is_input and access.is_s3(name):  # boto3 takes the name unchanged
        return f"s/{rest.partition('/')[0]}", rest
    with failures_of(name):
        system, path = system_of(access, name)
    if (system.type_name == 'local' or system.type_name.startswith('py::fsspec')
        and 'local' in system.handler.fs.protocol):
        return 'local', os.path.realpath(path)
    return f"{scheme[0]}/{rest.partition('/')[0]}", path  # gs and gcs are the same, and s3 and s3a


def refuse_inside(access: Access, folder: str, paths: Sequence[str]) -> None:
    """Raises a UsageError for an input in the folder that the output replaces."""
    store, inside = _place(access, folder, False)
    for path in paths:
        other, place = _place(access, path, True)
        if other == store and place.startswith(inside.rstrip('/') + '/'):
            raise UsageError(f"'{path}': is in the folder that the output replaces")


def begin(access: Access, output: str, name: str) -> str:
    """Makes the folder for the parts of the sort `name`, and returns its URI.

    Raises a UsageError if the output is a folder, but its name does not end in /. Also raises it if
    a folder contains more than the parts of a sort, which would be lost.
    """
    folder, file = _split(output)
    with failures_of(output):
        system, path = system_of(access, folder)
        made = f'{folder}/_gsort-{name}'
        if file:
            if system.get_file_info(f'{path}/{file}').type.name == 'Directory':
                raise UsageError(f"'{output}': is a folder; append / to replace it by a folder of "
                                 f"parts")
        else:
            from pyarrow import fs
            found = ({one.base_name
                      for one in system.get_file_info(fs.FileSelector(path, allow_not_found=True))}
                     - {''})
            for other in sorted(no_parts(found, _read(system, f'{path}/{MANIFEST}'))):
                raise UsageError(f"'{output}': contains '{other}', "
                                 + ('of a sort that is running or failed; remove it if it failed'
                                    if other.startswith('_gsort-') else
                                 'which is not part of a sort; the folder would be replaced as a '
                                 'whole, so name a new one'))
        if system.type_name not in OBJECTS:
            system.create_dir(f'{path}/_gsort-{name}')
        with system.open_output_stream(f'{path}/_gsort-{name}/{CLAIM}'):
            pass
        return made


def _files_of(manifest: bytes) -> Optional[List[str]]:
    """Returns the files of the parts that a manifest names. None: it is not a manifest of a sort,
    as Plan.manifest writes it.

    Names of files in other folders are not accepted, because anybody may have written the manifest.
    """
    try:
        rows = json.loads(manifest)
        ours = [ROW <= set(row) <= {*ROW, *TOLD} and row['file'].startswith(f'part-{i:05d}') and '/'
                not in row['file'] for i, row in enumerate(rows, 1)]
        return [row['file'] for row in rows] if ours and all(ours) else None
    except (ValueError, TypeError, AttributeError):
        return None


def no_parts(names: Set[str], manifest: bytes) -> Set[str]:
    """Returns those names in a folder that are neither the manifest nor parts in it. manifest: its
    text"""
    files = _files_of(manifest)
    return names if files is None else names - {MANIFEST, *files}


def _read(system: Any, path: str) -> bytes:
    if not system.get_file_info(path).is_file:
        return b''
    with system.open_input_stream(path, compression=None) as file:
        return bytes(file.readall())


def write_part(job: Any, number: int, head: bytes,
               run: Callable[[Callable[[Any], None]], gsort.Report]) -> gsort.Report:
    """Writes `head` and gsort's output to a file whose name no other try has.

    Returns the report, with the name, the size in bytes, and a digest of both ends.
    """
    name, size, first, last = (f'{job.part % number}.{secrets.token_hex(4)}', len(head),
                               head[:EDGE], head[-EDGE:])

    def beside(child: Any) -> None:
        nonlocal size, first, last
        with failures_of(job.output):
            system, path = system_of(job.access, job.upload)
            with system.open_output_stream(f'{path}/{name}', compression=None) as file:
                file.write(head)
                for block in iter(lambda: child.stdout.read(BLOCK), b''):
                    file.write(block)
                    size, first, last = (size + len(block), first + block[:EDGE - len(first)],
                                         (last + block[-EDGE:])[-EDGE:])

    report = run(beside)
    return {**report, 'file': name, 'file_bytes': size, 'edges': _digest(first, last)}


def _digest(first: bytes, last: bytes) -> str:
    return hashlib.sha256(first + last).hexdigest()


def has(access: Access, upload: str, part: gsort.Report) -> bool:
    """Returns whether the file of a part exists with its size."""
    told = _info(access, f"{upload}/{part['file']}")
    return bool(told.is_file and told.size == part['file_bytes'])


def is_there(access: Access, upload: str) -> bool:
    """Returns whether the folder of parts still exists."""
    return bool(_info(access, f'{upload}/{CLAIM}').is_file)


def is_whole(access: Access, output: str, parts: Sequence[gsort.Report], text: str) -> bool:
    """Returns whether the output is still what was committed: an object of the same size, or a
    folder with these parts and this manifest.

    Each part must begin and end as it was written. Changes between both ends are not noticed,
    because they are not read.

    text: the manifest; '': the output is one object
    """
    sizes = [part['file_bytes'] for part in parts]
    if text:
        system, path = system_of(access, output[:-1])
        if _read(system, f'{path}/{MANIFEST}') != text.encode():
            return False
        files, wanted = [f'{path}/{name}' for name in _files_of(text.encode()) or ()], sizes
        places = [(name, 0) for name in files]
    else:
        system, path = system_of(access, output)
        files, wanted = [path], [sum(sizes)]
        places = [(path, sum(sizes[:i])) for i in range(len(sizes))]
    if [one.size if one.is_file else None for one in system.get_file_info(files)] != wanted:
        return False

    def has_edges(place: Tuple[str, int], part: gsort.Report) -> bool:
        (name, off), size = place, part['file_bytes']
        length = min(size, EDGE)
        with system.open_input_file(name) as file:
            return _digest(file.read_at(length, off),
                           file.read_at(length, off + size - length)) == part.get('edges')

    with ThreadPoolExecutor(MOVES) as pool:
        return all(pool.map(has_edges, places, parts))


def commit(access: Access, output: str, upload: str, parts: Sequence[gsort.Report],
           names: Sequence[str], text: str) -> None:
    """Publishes the output: moves the parts to their places, writes the manifest, and removes the
    parts of the previous output.

    names: of the parts in the folder of the output
    text: the manifest; '': the output is one object

    Raises a GsortError if a part was removed or changed, and a FileError if only some parts are in
    place.
    """
    folder, file = _split(output)
    system, path = system_of(access, folder)
    made = system_of(access, upload)[1]

    def move(old: str, new: str) -> None:
        if access.is_s3(output):
            s3.move(access, f's3://{old}', f's3://{new}')
        else:
            _move(system, old, new)
    with failures_of(output):
        lost = [part['file'] for part in parts if not has(access, upload, part)]
        if lost:
            raise gsort.GsortError(f"'{upload}/{lost[0]}': was removed or changed since it was "
                                   f"written", 4)
        if text:
            # kept: by an interrupted commit
            told, kept = _read(system, f'{path}/{MANIFEST}'), _read(system, f'{made}/{OLD}')
            old = {*(_files_of(told) or ()), *(_files_of(kept) or ())} - set(names)
            if system.get_file_info(f'{path}/{MANIFEST}').is_file:
                if _files_of(told) is not None:
                    with system.open_output_stream(f'{made}/{OLD}') as stream:
                        stream.write(told)
                system.delete_file(f'{path}/{MANIFEST}')
            _move_all(output, [(f"{made}/{part['file']}", f'{path}/{name}')
                               for part, name in zip(parts, names)], move)
            for name in old:
                # the interrupted commit may have removed it
                if system.get_file_info(f'{path}/{name}').is_file:
                    system.delete_file(f'{path}/{name}')
            with system.open_output_stream(f'{path}/{MANIFEST}') as stream:
                stream.write(text.encode())
        elif len(parts) == 1:
            move(f"{made}/{parts[0]['file']}", f'{path}/{file}')
        else:
            _merge(access, output, upload, [f"{upload}/{part['file']}" for part in parts])
    abort(access, upload)


def _move_all(output: str, moves: Sequence[Tuple[str, str]],
              move: Callable[[str, str], None]) -> None:
    try:
        with ThreadPoolExecutor(MOVES) as pool:
            list(pool.map(move, *zip(*moves)))
    except OSError as error:
        raise file_error(error.errno or 0,
                         f"'{output}': {error}; only some parts are in place, and {MANIFEST} is "
                         f"missing; continue by --resume, or "
                         'remove the parts') from None


def _move(system: Any, old: str, new: str) -> None:
    try:
        system.move(old, new)
    except OSError:  # some file systems do not replace a file
        if not system.get_file_info(new).is_file or not system.get_file_info(old).is_file:
            raise
        system.delete_file(new)
        system.move(old, new)


def _merge(access: Access, output: str, upload: str, files: List[str]) -> None:
    """Joins files into the output, in rounds of as many files as the store accepts."""
    merge, made = _merging(access, output), 0
    while len(files) > MERGED:
        merged = []
        for i in range(0, len(files), MERGED):
            merged.append(f'{upload}/merged-{made}')
            merge(merged[-1], files[i:i + MERGED])
            made += 1
        files = merged
    merge(output, files)


def abort(access: Access, upload: str) -> None:
    """Removes the folder of parts. Parts that are already in their places stay."""
    with failures_of(upload):
        system, path = system_of(access, upload)
        if (path.rpartition('/')[2].startswith('_gsort-')
            and system.get_file_info(path).type.name == 'Directory'):
            system.delete_dir(path)
