"""What runs on nodes: a map makes a sorted file of a piece of the input, a cut looks up places, a reduce merges its part of all files."""
from __future__ import annotations

import json
import os
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import gsort
from .cut import part_begin, refine, step_of
from .files import Piece, elements_at, file_system, is_s3
from .order import Order, Places

FEED = 8 << 20


class LostFile(RuntimeError):
    """Another node's file cannot be read: the node is gone, or its server."""


@dataclass(frozen=True)
class Job:
    """What all tasks have to know."""

    program: str
    order: Order
    named: Tuple[str, ...]  # gsort's options for what the elements are, as the user gave them
    maps: Tuple[str, ...]  # options of maps only
    memory: str
    threads: int
    parts: int
    output: str  # where parts go: the file for all, a folder, or s3://
    sink: str  # 'into', 'files', 's3'
    suffix: str  # of sorted files
    files: str  # where these are if all nodes see them; '': on the nodes that made them
    header: bytes  # of the output, if slices are merged
    token: str
    upload: str = ''  # of S3

    @property
    def tuning(self) -> Tuple[str, ...]:
        return '-S', self.memory, '--parallel', str(self.threads), '--device', 'cpu'


@dataclass(frozen=True)
class Handle:
    """A sorted file. node: '' if all nodes see it; samples: every `step`-th element; report: gsort's, as JSON."""

    index: int
    node: str
    path: str
    off: int
    count: int
    step: int
    samples: bytes
    report: str

    def size(self, order: Order) -> int:
        return self.off + self.count * order.element_bytes


def sort_piece(job: Job, piece: Piece, index: int, node: str, folder: str) -> Handle:
    path = os.path.join(folder, f'map-{index:05d}{job.suffix}')
    what = [*job.maps, *job.tuning, '-T', folder, '-o', path]
    if is_s3(piece.path):
        def feed(child: subprocess.Popen[bytes]) -> None:
            assert child.stdin is not None
            _feed_s3(piece, job.order.element_bytes, child.stdin)
        report = gsort.run(job.program, [*job.order.options, *what, '-'], stdin=subprocess.PIPE, beside=feed)
    else:
        part = [] if piece.count is None else ['--range', f'{piece.first}:{piece.count}']
        report = gsort.run(job.program, [*job.named, *what, *part, piece.path])
    read = int(report['tally']['count']) + int(report['left_out_count'])
    if piece.count is not None and read != piece.count:
        raise gsort.GsortError(f"'{piece.path}': {read} elements were read, and {piece.count} are wanted", 4)
    return handle_of(job.order, index, node, path, report)


def handle_of(order: Order, index: int, node: str, path: str, report: gsort.Report) -> Handle:
    count, size = int(report['tally']['count']), order.element_bytes
    step, off = step_of(count, size), os.path.getsize(path) - count * size
    samples = elements_at(path, off, size, np.arange(step - 1, count, step, dtype=np.int64))
    report['left_out_count'], report['left_out_fingerprint'] = 0, '0' * 32  # of the input; what was sorted is all there
    return Handle(index, node, path, off, count, step, samples, json.dumps(report))


def _feed_s3(piece: Piece, element_bytes: int, pipe: Any) -> None:
    system, key = file_system(piece.path)
    with system.open_input_file(key) as file:
        off, rest = piece.first * element_bytes, piece.bytes
        while rest > 0:
            block = file.read_at(min(FEED, rest), off)
            if not block:
                raise OSError(f"'{piece.path}' is shorter than it was")
            try:
                pipe.write(block)
            except BrokenPipeError:  # gsort says why
                return
            off, rest = off + len(block), rest - len(block)


# ---- cuts ----

Ask = Callable[[Dict[str, List[Tuple[str, int, int, Places]]]], Dict[str, List[bytes]]]


def probe_files(handles: Sequence[Handle], order: Order, ask: Ask, asked: List[Tuple[int, Places]]) -> List[bytes]:
    """Elements of files, one question a node and round."""
    by_node: Dict[str, List[Tuple[str, int, int, Places]]] = {}
    for f, places in asked:
        by_node.setdefault(handles[f].node, []).append((handles[f].path, handles[f].off, order.element_bytes, places))
    told = {node: iter(answer) for node, answer in ask(by_node).items()}
    return [next(told[handles[f].node]) for f, _ in asked]


def ask_here(by_node: Dict[str, List[Tuple[str, int, int, Places]]]) -> Dict[str, List[bytes]]:
    """Files that this node sees."""
    return {node: [elements_at(*one) for one in asked] for node, asked in by_node.items()}


def find_cuts(job: Job, handles: Sequence[Handle], keepers: Dict[str, Any], step: int, ranks: Sequence[int], low: Places, high: Places) -> Places:
    def ask(by_node: Dict[str, List[Tuple[str, int, int, Places]]]) -> Dict[str, List[bytes]]:
        import ray
        refs = {node: keepers[node].probe.remote(asked) for node, asked in by_node.items()}
        try:
            return {node: ray.get(ref) for node, ref in refs.items()}
        except ray.exceptions.RayActorError as error:
            raise LostFile(str(error)) from None
    return refine(job.order, step, ranks, low, high, lambda asked: probe_files(handles, job.order, ask, asked))


# ---- parts ----


@dataclass(frozen=True)
class Slice:
    """Bytes of a sorted file, and the server that has it."""

    path: str
    node: str
    url: str
    off: int
    bytes: int


def read_slice(token: str, one: Slice) -> Iterator[memoryview]:
    """From another node's server."""
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


def merge_part(job: Job, number: int, total: int, files: Sequence[str], slices: Optional[Sequence[Slice]], node: str) -> gsort.Report:
    """Part `number`, from 1 on; files: that all nodes see; else slices."""
    first, behind = (part_begin(total, i, job.parts) for i in (number - 1, number))
    off, size = len(job.header) + first * job.order.element_bytes, (behind - first) * job.order.element_bytes
    if slices is None:
        what, feeds = [*job.named, '-m', *job.tuning, '--part', f'{number}/{job.parts}', *files], _Feeds(job, [], node)
    else:
        feeds = _Feeds(job, slices, node)
        what = [*job.order.options, '-m', *job.tuning, *(feeds.names or ['/dev/null'])]
    try:
        report = _write_part(job, number, what, feeds, slices is not None, total, off, size)
    finally:
        feeds.close()
    if int(report['tally']['count']) != behind - first:
        raise gsort.GsortError(f"part {number} has {report['tally']['count']} elements, and {behind - first} belong to it", 4)
    if slices is not None:
        report['part'] = {'number': number, 'count': job.parts, 'first': first, 'of': total}
        if job.sink == 'into':
            report['into'] = {'off': off, 'of': len(job.header) + total * job.order.element_bytes}
    return report


def _write_part(job: Job, number: int, what: List[str], feeds: _Feeds, is_piped: bool, total: int, off: int, size: int) -> gsort.Report:
    if job.sink == 's3':
        from . import s3
        before, pieces = s3.places(number, job.parts, total, job.order.element_bytes)
        return s3.write_part(job, before + 1, size, pieces, job.upload, lambda beside: feeds.run(what, subprocess.PIPE, beside))
    if job.sink == 'files':
        return feeds.run([*what, '-o', os.path.join(job.output, f'part-{number:05d}{job.suffix}')])
    if not is_piped:
        return feeds.run([*what, '--into', job.output])
    file = os.open(job.output, os.O_WRONLY | os.O_CLOEXEC)
    try:
        if size > 0:
            os.posix_fallocate(file, off, size)
        os.lseek(file, off, os.SEEK_SET)
        report = feeds.run(what, stdout=file)
        os.fsync(file)
        return report
    finally:
        os.close(file)


class _Feeds:
    """A pipe for each slice, which a thread fills from this node's disk or another node's server."""

    def __init__(self, job: Job, slices: Sequence[Slice], node: str) -> None:
        self.job, self.node = job, node
        self.slices = [one for one in slices if one.bytes > 0]
        self.pipes = [os.pipe() for _ in self.slices]
        self.names = [f'/dev/fd/{read_end}' for read_end, _ in self.pipes]
        self.failures: List[str] = []

    def run(self, what: Sequence[str], stdout: Optional[int] = None, beside: Optional[Callable[[Any], None]] = None) -> gsort.Report:
        threads: List[threading.Thread] = []

        def feed(child: Any) -> None:
            for one, (read_end, write_end) in zip(self.slices, self.pipes):
                os.close(read_end)
                threads.append(threading.Thread(target=self._feed, args=(one, write_end), daemon=True))
            self.pipes = []
            for thread in threads:
                thread.start()
            if beside is not None:
                beside(child)

        try:
            report = gsort.run(self.job.program, what, stdout=stdout, pass_fds=[read_end for read_end, _ in self.pipes], beside=feed)
        except gsort.GsortError:
            for thread in threads:
                thread.join(10)
            if self.failures:
                raise LostFile(self.failures[0]) from None
            raise
        if self.failures:
            raise LostFile(self.failures[0])
        return report

    def _feed(self, one: Slice, pipe: int) -> None:
        try:
            if one.node == self.node:
                with open(one.path, 'rb', buffering=0) as file:
                    off, rest = one.off, one.bytes
                    while rest > 0:
                        sent = os.sendfile(pipe, file.fileno(), off, min(rest, 1 << 30))
                        if sent == 0:
                            raise OSError(f"'{one.path}' is shorter than it was")
                        off, rest = off + sent, rest - sent
            else:
                for block in read_slice(self.job.token, one):
                    while len(block):
                        block = block[os.write(pipe, block):]
        except BrokenPipeError:
            pass  # gsort ended, and says why
        except Exception as error:  # whatever it is, the part has to be made again
            self.failures.append(f'{one.url or one.path}: {error}')
        finally:
            os.close(pipe)

    def close(self) -> None:
        for read_end, write_end in self.pipes:
            os.close(read_end)
            os.close(write_end)
        self.pipes = []


