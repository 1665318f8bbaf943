"""Defines the tasks that run on nodes. A map sorts a piece of the input into a file. A cut finds
the places at which parts begin in each file. A reduce merges its part of all files.
"""
from __future__ import annotations

import errno
import json
import os
import subprocess
import threading
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import gsort, s3, store
from .access import Access
from .cut import Order, Places, find, part_begin, to_groups
from .files import Piece, elements_at, head_of
from .store import blocks, is_remote

FEED = 8 << 20  # bytes


class LostFile(RuntimeError):
    """A file of another node cannot be read, because the node or its server is gone."""


@dataclass(frozen=True)
class Kept:
    """Defines what parts write, and where they may begin."""

    reduces: Tuple[str, ...] = ()  # options of reduces: groups and aggregates, or --top
    early: bool = False  # maps may use these options as well, because the output is the same
    # how many keys define a group, which must not be in two parts; 0: all keys; -1: there are no
    # groups
    groups: int = 0
    values: Tuple[str, ...] = ()  # parts begin at these values
    packing: Tuple[str, ...] = ()
    unit: int = 1  # parts begin at multiples of so many elements, like compressed frames

    def begin(self, total: int, number: int, parts: int) -> int:
        first = part_begin(total, number, parts)
        return first if number == parts else first // self.unit * self.unit

    @property
    def is_unequal(self) -> bool:
        return self.groups >= 0 or bool(self.values) or self.unit > 1


@dataclass(frozen=True)
class Job:
    """The facts about a sort that all its tasks need."""

    program: str
    order: Order
    named: Tuple[str, ...]  # gsort's options that define the elements, as the user gave them
    maps: Tuple[str, ...]  # options of maps only
    kept: Kept
    memory: str
    threads: int
    parts: int
    output: str  # where parts are written: the one file for all, a folder, or a URI in a store
    sink: str  # 'into': one file; 'files': a file per part; in a store: 's3' or 'store'
    part: str  # the pattern of the names of parts in a folder
    suffix: str  # of the names of sorted files
    # the folder of sorted files if all nodes see them; '': they are on the nodes that made them
    files: str
    head: Any  # what is before the elements of the output: bytes, or the dtype for a header of .npy
    token: str  # the secret that permits reading from servers of other nodes
    # reduces merge slices that the driver cuts; else gsort cuts files that all nodes see
    is_sliced: bool
    access: Access = Access()
    upload: str = ''  # the id of an upload on S3, or the folder of parts in a store

    @property
    def tuning(self) -> Sequence[str]:
        return gsort.tuning(self.memory, self.threads)

    @property
    def is_elsewhere(self) -> bool:
        return self.sink in ('s3', 'store')

    def part_path(self, number: int) -> str:
        return os.path.join(self.output, self.part % number)


@dataclass(frozen=True)
class Handle:
    """A sorted file.

    node: the node that has the file; '': all nodes see it
    off: the byte at which its data begin
    report: gsort's JSON report on its elements; '': none
    read: the JSON report on the elements that were read, if the file has fewer; '': it has all
    values: the positions at which the values of the job would begin a part
    """

    index: int
    node: str
    path: str
    off: int
    count: int
    report: str
    read: str = ''
    values: Tuple[int, ...] = ()
    # how many elements --where left out, and their fingerprint
    left_out: Tuple[int, str] = (0, '0' * 32)

    def size(self, order: Order) -> int:
        return self.off + self.count * order.element_bytes


def sort_piece(job: Job, piece: Piece, index: int, node: str, folder: str) -> Handle:
    path = os.path.join(folder, f'map-{index:05d}{job.suffix}')
    try:
        report = _sort_piece(job, piece, [*job.maps, *(job.kept.reduces if job.kept.early else ())],
                             folder, path)
    except gsort.GsortError as error:
        if not (error.is_final and job.kept.early):
            raise
        # the sum of this piece may not fit into the field, but the sum of all pieces may
        report = _sort_piece(job, piece, job.maps, folder, path)
    read = int(report['tally']['count']) + int(report['left_out_count'])
    if piece.count is not None and read != piece.count:
        raise gsort.GsortError(f"'{piece.path}': {read} elements were read, but {piece.count} were "
                               f"expected", 4)
    left_out = int(report['left_out_count']), str(report['left_out_fingerprint'])
    # the sorted file has all elements that --where kept
    report['left_out_count'], report['left_out_fingerprint'] = 0, '0' * 32
    whole, before = report, ''
    if report['unique_count'] is not None or report['top_count'] is not None:
        whole, before = gsort.run(job.program,
                                  [*job.named, *job.tuning, '--check', path]), json.dumps(report)
    return _with_values(job, replace(handle_of(job.order, index, node, path, whole), read=before,
                                     left_out=left_out))


def _sort_piece(job: Job, piece: Piece, options: Sequence[str], folder: str,
                path: str) -> gsort.Report:
    what = [*job.named, *options, *job.tuning, '-T', folder, '-o', path]
    if not is_remote(piece.path):
        return gsort.run(job.program, [*what, *piece.words()])

    def feed(child: subprocess.Popen[bytes]) -> None:
        assert child.stdin is not None
        _feed_remote(job, piece, child.stdin)
    return gsort.run(job.program, [*what, '-'], stdin=subprocess.PIPE, beside=feed)


def look_at(job: Job, piece: Piece, index: int) -> Handle:
    """Returns the handle of an input that is already sorted."""
    assert piece.count is not None
    handle = handle_of(job.order, index, '', piece.path, {'tally': {'count': piece.count}})
    return _with_values(job, replace(handle, report=''))


def _with_values(job: Job, handle: Handle) -> Handle:
    """Returns the handle with the positions at which the values of the job would begin a part."""
    values = [f'..{value}' if job.order.falls else f'{value}..' for value in job.kept.values]
    return replace(handle,
                   values=tuple(gsort.find_first(job.program, [*job.named, handle.path], value)
                                for value in values))


def handle_of(order: Order, index: int, node: str, path: str, report: gsort.Report) -> Handle:
    count, size = int(report['tally']['count']), order.element_bytes
    return Handle(index, node, path, os.path.getsize(path) - count * size, count,
                  json.dumps(report))


def _feed_remote(job: Job, piece: Piece, pipe: Any) -> None:
    begin = piece.first * job.order.element_bytes
    for block in blocks(job.access, piece.path, piece.stamp, begin, begin + piece.bytes, FEED):
        try:
            pipe.write(block)
        except BrokenPipeError:  # gsort says why
            return


# ---- cuts ----

def probe_files(handles: Sequence[Handle], order: Order, keepers: Dict[str, Any],
                asked: List[Tuple[int, Places]]) -> List[bytes]:
    """Returns the elements at positions of files. asked: (number of the file, positions)

    Sends one question to each node. Files that all nodes see are read here. Raises LostFile if a
    node is gone.
    """
    by_node: Dict[str, List[Tuple[str, int, int, Places]]] = {}
    for f, places in asked:
        by_node.setdefault(handles[f].node, []).append((handles[f].path, handles[f].off,
                                                        order.element_bytes, places))
    refs = {node: keepers[node].probe.remote(questions) for node, questions in by_node.items()
            if node != ''}
    told = {'': iter([elements_at(*one) for one in by_node.get('', ())])}
    if refs:
        import ray
        try:
            told.update({node: iter(ray.get(ref)) for node, ref in refs.items()})
        except ray.exceptions.RayActorError as error:
            raise LostFile(str(error)) from None
    return [next(told[handles[f].node]) for f, _ in asked]


def find_cuts(job: Job, handles: Sequence[Handle], keepers: Dict[str, Any],
              ranks: Sequence[int]) -> Places:
    def probe(asked: List[Tuple[int, Places]]) -> List[bytes]:
        return probe_files(handles, job.order, keepers, asked)

    counts = np.array([handle.count for handle in handles], np.int64)
    cuts = find(job.order, ranks, np.tile(counts, (len(ranks), 1)), probe)
    if job.kept.groups < 0:
        return cuts
    return to_groups(job.order.of_groups(job.kept.groups), counts, cuts, probe)


# ---- parts ----


@dataclass(frozen=True)
class Slice:
    """Bytes of a sorted file, and the server of the node that has it. node: '' if all nodes see the
    file"""

    path: str
    node: str
    url: str
    off: int
    bytes: int


def read_slice(token: str, one: Slice) -> Iterator[memoryview]:
    """Yields the bytes of a slice from another node's server. Raises an OSError if some are
    missing."""
    from pyarrow import flight
    asked = {'token': token, 'name': os.path.basename(one.path), 'off': one.off, 'bytes': one.bytes}
    rest = one.bytes
    with flight.connect(one.url) as client:
        for chunk in client.do_get(flight.Ticket(json.dumps(asked).encode())):
            block = memoryview(chunk.data.column(0).buffers()[2])
            rest -= len(block)
            yield block
    if rest != 0:
        raise OSError(f'{rest} bytes are missing')


def merge_part(job: Job, number: int, first: int, behind: int, total: int, files: Sequence[str],
               slices: Sequence[Slice], node: str) -> gsort.Report:
    """Merges part `number`, from 1, which has the elements `[first, behind)` of `total`. Returns
    the report on it.

    files: gsort's arguments for the sorted files, if gsort cuts them
    slices: the slices to merge, if the driver has cut them

    Raises a GsortError if the part has another number of elements, and LostFile if a slice cannot
    be read.
    """
    if not job.is_sliced:
        what = [*job.named, '-m', *job.tuning, '--part', f'{number}/{job.parts}', *files]
    else:
        what = [*job.order.options, '-m', *job.kept.reduces, *job.kept.packing, *job.tuning,
                *([] if slices else ['/dev/null'])]

    def run(stdout: Optional[int] = None, beside: Optional[Callable[[Any], None]] = None,
            more: Sequence[str] = ()) -> gsort.Report:
        return _run_fed(job, [*what, *more], slices, node, stdout, beside)

    report = _write_part(job, number, run, first, behind, total)
    if int(report['tally']['count']) != behind - first:
        raise gsort.GsortError(f"part {number} has {report['tally']['count']} elements, but should "
                               f"have {behind - first}", 4)
    if job.sink == 'files':
        report['file_bytes'] = os.path.getsize(job.part_path(number))
    if job.is_sliced:
        report['part'] = {'number': number, 'parts': job.parts, 'first': first, 'of': total,
                          'is_unequal': job.kept.is_unequal}
    return report


def _take_space(file: int, off: int, size: int) -> None:
    """Reserves disk space, if the file system supports it. Raises an OSError if there is too
    little.

    Other failures are ignored: without that support glibc reads the file, and fails because this
    descriptor is only for writing.
    """
    try:
        os.posix_fallocate(file, off, size)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


def _write_part(job: Job, number: int, run: Callable[..., gsort.Report], first: int, behind: int,
                total: int) -> gsort.Report:
    size = (behind - first) * job.order.element_bytes
    if job.sink == 's3':
        before, pieces = s3.places(number, job.parts, total, job.order.element_bytes)
        return s3.write_part(job, before + 1, size, pieces, job.upload,
                             lambda beside: run(subprocess.PIPE, beside))
    if job.sink == 'store':
        return store.write_part(job, number, head_of(job.head, behind - first),
                                lambda beside: run(subprocess.PIPE, beside))
    if not job.is_sliced:
        return run(more=['--into', job.output] if job.sink == 'into'
                   else ['-o', job.part_path(number)])
    head = head_of(job.head, total)
    file = os.open(job.output if job.sink == 'into' else job.part_path(number),
                   os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        off = len(head) + (first * job.order.element_bytes if job.sink == 'into' else 0)
        if size > 0 and job.sink == 'into':
            _take_space(file, off, size)
        os.lseek(file, off, os.SEEK_SET)
        report = run(file)
        if job.sink == 'into':
            report['into'] = {'offset': off,
                              'file_bytes': len(head) + total * job.order.element_bytes}
        else:
            os.pwrite(file, head_of(job.head, written_count(report)), 0)
            # an earlier try may have written more
            os.ftruncate(file, os.lseek(file, 0, os.SEEK_CUR))
        os.fsync(file)
        return report
    finally:
        os.close(file)


def written_count(report: gsort.Report) -> int:
    """Returns how many elements or groups a part has, by its report."""
    if report['unique_count'] is not None:
        return int(report['unique_count'])
    count = int(report['tally']['count'])
    return count if report['top_count'] is None else min(count, int(report['top_count']))


def place_part(path: str, into: str, off: int) -> None:
    """Copies a part to byte `off` of the file `into`, and syncs that file. Raises an OSError if the
    part is shorter than it was."""
    with open(path, 'rb') as part, open(into, 'r+b') as whole:
        rest = os.fstat(part.fileno()).st_size
        whole.seek(off)
        while rest > 0:
            moved = os.copy_file_range(part.fileno(), whole.fileno(), rest)
            if moved == 0:
                raise OSError(f"'{path}' is shorter than it was")
            rest -= moved
        os.fsync(whole.fileno())


def _run_fed(job: Job, what: Sequence[str], slices: Sequence[Slice], node: str,
             stdout: Optional[int],
             beside: Optional[Callable[[Any], None]]) -> gsort.Report:
    """Runs gsort with a pipe for each slice. A thread fills each pipe from this node's disk or from
    another node's server.

    Returns the report. Raises LostFile if a slice cannot be read.
    """
    pipes = [os.pipe() for _ in slices]
    threads: List[threading.Thread] = []
    failures: List[str] = []

    def feed(child: Any) -> None:
        for one, (read_end, write_end) in zip(slices, pipes):
            os.close(read_end)
            threads.append(threading.Thread(target=_feed,
                                            args=(job.token, one, node, write_end, failures),
                                            daemon=True))
        pipes.clear()
        for thread in threads:
            thread.start()
        if beside is not None:
            beside(child)

    read_ends = [read_end for read_end, _ in pipes]
    try:
        report = gsort.run(job.program, [*what, *(f'/dev/fd/{end}' for end in read_ends)],
                           stdout=stdout, pass_fds=read_ends, beside=feed)
    except gsort.GsortError:
        for thread in threads:
            thread.join(10)
        if not failures:
            raise
    finally:
        for ends in pipes:
            for end in ends:
                os.close(end)
    if failures:
        raise LostFile(failures[0])
    return report


def _feed(token: str, one: Slice, node: str, pipe: int, failures: List[str]) -> None:
    try:
        if one.node not in ('', node):
            for block in read_slice(token, one):
                while len(block):
                    block = block[os.write(pipe, block):]
            return
        with open(one.path, 'rb', buffering=0) as file:
            off, rest = one.off, one.bytes
            while rest > 0:
                sent = os.sendfile(pipe, file.fileno(), off, min(rest, 1 << 30))
                if sent == 0:
                    raise OSError(f"'{one.path}' is shorter than it was")
                off, rest = off + sent, rest - sent
    except BrokenPipeError:
        pass  # gsort has ended, and its message says why
    except Exception as error:  # after any error the part is made again
        failures.append(f'{one.url or one.path}: {error}')
    finally:
        os.close(pipe)
