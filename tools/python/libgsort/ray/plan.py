"""The plan of a sort on a cluster: what the elements are, pieces and parts, where things lie, and what disk that takes."""
from __future__ import annotations

import io
import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..job import size_of
from . import gsort, s3
from .files import Piece, expand, is_s3, npy_dtype, pieces
from .order import Order
from .tasks import Job

# Of a task's memory what its data may take, so that a map sorts them without a spill: records have a tag of 16 bytes each.
SHARE = 0.8
FIXED = 24 << 20
SPARE = 1.02
LEAST = 1 << 20  # of a piece


@dataclass
class Plan:
    job: Job
    pieces: List[Piece]
    size: int
    output: str
    work: str
    temp: Optional[str]
    memory_bytes: int
    is_sorted: bool
    dtype: Any
    source: str

    def identity(self) -> Dict[str, Any]:
        """What has to be the same for another driver to go on."""
        inputs = [asdict(piece) for piece in self.pieces]
        told = {'inputs': inputs, 'order': asdict(self.job.order), 'options': [self.job.named, self.job.maps], 'parts': self.job.parts,
                'output': self.output, 'temp': self.temp, 'sink': self.job.sink}
        same: Dict[str, Any] = json.loads(json.dumps(told))
        return same

    def check_stamps(self) -> None:
        for piece in self.pieces:
            if not is_s3(piece.path):
                status = os.stat(piece.path)
                if (status.st_size, status.st_mtime_ns) != piece.stamp:
                    raise gsort.GsortError(f"'{piece.path}': has changed since the sort began", 4)

    @property
    def disk_here(self) -> int:
        """Bytes beside the output: of it, and of sorted files."""
        return (0 if self.job.sink == 's3' else self.size) + (self.size if self.job.files and not self.is_sorted else 0)

    def check_room(self, free: Dict[str, int]) -> None:
        """Disk for sorted files and the output, before anything is done."""
        here = self.disk_here
        room = os.statvfs(self.work)
        have = room.f_bavail * room.f_frsize
        if have < here * SPARE:
            raise gsort.GsortError(f"'{self.work}': {here} bytes are needed there, and {have} are free", 2)
        if free and sum(free.values()) < self.size * SPARE:
            raise gsort.GsortError(f"'{self.temp}': {self.size} bytes are needed on all nodes together, and {sum(free.values())} are free", 2)

    def fit(self, job: Job, total: int) -> Job:
        """S3 takes no pieces below 5 MiB, so there are fewer parts then."""
        if job.sink != 's3':
            return job
        return replace(job, parts=max(1, min(job.parts, total * job.order.element_bytes // s3.LEAST - 1)))

    def header(self, count: int, order: Order) -> bytes:
        """Of the output, if slices are merged: gsort writes it elsewhere."""
        if not self.output.endswith('.npy'):
            if npy_dtype(self.source) is not None or '--header' not in self.job.named:
                return b''
            with open(self.source, 'rb') as file:
                return file.read(int(self.job.named[self.job.named.index('--header') + 1]))
        dtype = self.dtype
        if dtype is None:
            from ..files import _numpy_dtype
            dtype = np.dtype(f'V{order.element_bytes}') if order.type == 'record' else _numpy_dtype(order.type)
        text = io.BytesIO()
        np.lib.format.write_array_header_1_0(text, {'descr': np.lib.format.dtype_to_descr(dtype), 'fortran_order': False, 'shape': (count,)})
        return text.getvalue()

    def commit(self, job: Job, parts: Sequence[gsort.Report]) -> None:
        if job.sink == 's3':
            s3.complete(job.output, job.upload, parts)
            return
        if job.sink == 'files':
            manifest = [{'file': f'part-{i:05d}{job.suffix}', 'first': part['part']['first'], **{name: part[name] for name in (
                'tally', 'first_key', 'last_key')}} for i, part in enumerate(parts, 1)]
            with open(os.path.join(job.output, 'manifest.json'), 'w', encoding='utf-8') as file:
                json.dump(manifest, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            sync(job.output)
            if os.path.exists(self.output):
                os.rename(self.output, os.path.join(self.work, 'old'))
        os.rename(job.output, self.output)
        sync(os.path.dirname(self.output))


def sync(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def order_options(type: Optional[str], record: int, keys: Sequence[str], reverse: bool, header: int, raw: bool) -> Tuple[str, ...]:
    return (*(('-t', type) if type else ()), *(('-R', str(record)) if record else ()), *(word for key in keys for word in ('-k', key)),
            *(('-r',) if reverse else ()), *(('--header', str(header)) if header else ()), *(('--raw',) if raw else ()))


def order_of(program: str, path: str, named: Sequence[str]) -> Tuple[Order, Any]:
    """What gsort takes the elements of a file for; and the dtype of a .npy file."""
    npy = None if '--raw' in named or (not is_s3(path) and os.path.getsize(path) == 0) else npy_dtype(path)
    if npy is not None:
        return Order.of_report(gsort.run(program, ['--check', '--range', '0:0', *named, path]), npy[0]), npy[0]
    bare = [word for i, word in enumerate(named) if word != '--header' and (i == 0 or named[i - 1] != '--header')]
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, os.path.basename(path).removesuffix('.zst'))
        open(name, 'w').close()
        return Order.of_report(gsort.run(program, ['--check', *bare, name])), None


def make(inputs: Sequence[str], output: str, *, parts: int, memory: str, threads: int, named: Tuple[str, ...], where: Sequence[str],
         temp: Optional[str], work: Optional[str], is_sorted: bool, program: Optional[str], cpus: int) -> Plan:
    """cpus: of the cluster; with parts == 0 there is a part for each task that they can run, and for what memory allows."""
    found = gsort.find(program)
    paths = expand(inputs)
    order, dtype = order_of(found, paths[0], named)
    memory_bytes = size_of(memory)
    tag = 16 if order.type == 'record' else 0
    most = int(max(1 << 20, (memory_bytes - FIXED) * SHARE) * order.element_bytes / (order.element_bytes + tag))
    header = int(named[named.index('--header') + 1]) if '--header' in named else 0
    _refuse(paths, output, header, is_sorted, temp)
    size = sum(piece.bytes for piece in pieces(paths, order.element_bytes, header, 1 << 62))
    taken = pieces(paths, order.element_bytes, header, (1 << 62) if is_sorted else _piece_bytes(size, most, max(1, cpus // threads)))
    is_folder = output.endswith('/')
    sink = 's3' if is_s3(output) else 'files' if is_folder else 'into'
    target = output if sink == 's3' else os.path.abspath(output)
    folder = work or (os.path.basename(output) if sink == 's3' else target) + '.gsort-ray'
    first = os.path.basename(paths[0]).removesuffix('.zst')
    suffix = os.path.splitext(first)[1] if not any(map(is_s3, paths)) else ''
    place = output if sink == 's3' else os.path.join(os.path.abspath(folder), 'whole' if is_folder else 'whole' + os.path.splitext(target)[1])
    count = parts or max(1, cpus // threads * -(-size // max(1, cpus // threads * (256 << 20))))
    files = '' if temp is not None else os.path.abspath(folder)
    job = Job(found, order, named if not is_s3(paths[0]) else order.options, tuple(word for condition in where for word in ('--where', condition)),
              str(memory_bytes), threads, count, place, sink, suffix, files, b'', secrets.token_hex(16))
    return Plan(job, taken, size, target, os.path.abspath(folder), temp, memory_bytes, is_sorted, dtype, paths[0])


def _piece_bytes(size: int, most: int, tasks: int) -> int:
    """Pieces of which all tasks that run at a time get equally many, if they are not too small for that."""
    count = -(-max(1, size) // most)
    return max(LEAST, -(-size // (-(-count // tasks) * tasks)))


def _refuse(paths: Sequence[str], output: str, header: int, is_sorted: bool, temp: Optional[str]) -> None:
    remote = any(map(is_s3, paths))
    for path in paths:
        if is_s3(path) and (path.endswith(('.npy', '.zst')) or header or is_sorted):
            raise ValueError(f"'{path}': an object on S3 is plain: no .npy, no .zst, no header, and not merged")
        if is_sorted and path.endswith('.zst'):
            raise ValueError(f"'{path}': is packed; where a part is in it is not known")
    if remote and not all(map(is_s3, paths)):
        raise ValueError('inputs are all on S3, or none is')
    if is_s3(output) and (header or paths[0].endswith('.npy') or output.endswith(('.npy', '.zst'))):
        raise ValueError(f"'{output}': an object on S3 is plain: no .npy, no .zst, no header")
    if output.endswith('.zst'):
        raise ValueError(f"'{output}': parts of one file are not packed")
    if is_sorted and temp is not None:
        raise ValueError('--temp: sorted inputs are merged where they are')
