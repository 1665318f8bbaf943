"""Plans a sort on a cluster: the type of the elements, the pieces and parts, the places of files,
and the disk space."""
from __future__ import annotations

import json
import math
import os
import secrets
import tempfile
import time
import urllib.parse
from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _c
from ..errors import UsageError
from ..layout import layout_of, numpy_dtype, type_of, with_count
from . import gsort, local, s3, store
from .access import Access
from .cut import Order
from .files import (Piece, absolute, beginning, expand, measure, npy_dtype, pieces, refuse_formats)
from .store import is_remote
from .tasks import Job, Kept

# The share of a task's memory for its data. A map then sorts them without a spill. Each record also
# needs a tag of 16 bytes.
SHARE = 0.8
FIXED = 24 << 20
SPARE = 1.02
LEAST = 1 << 20  # bytes of a piece
FRAME = 1 << 20  # bytes of data in a frame of zstd that gsort writes
FOLDS = ('--sum', '--min', '--max')
# with these, only reduces can aggregate groups; also with wide sums
LATE = ('--count', '--sum-wide', 'singles', 'dups', 'repeated')
WHOLE = 1 << 62  # bytes of a piece, if a piece is a whole file
PART = 256 << 20  # the most bytes of a part by default


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
    is_folder: bool  # the output is a folder of parts and their manifest
    split: bool  # the output is several files
    # the file into which parts are concatenated when their lengths are known; '': they are not
    # concatenated
    joined: str
    head: Any  # the head of `joined`, as Job.head
    began: float

    def identity(self) -> Dict[str, Any]:
        """Returns the values that must be equal for another driver to continue the sort."""
        inputs = [asdict(piece) for piece in self.pieces]
        told = {'inputs': inputs, 'order': asdict(self.job.order),
                'options': [self.job.named, self.job.maps, asdict(self.job.kept)],
                'parts': self.job.parts,
                'output': self.output, 'form': self.joined or self.job.output, 'temp': self.temp,
                'sink': self.job.sink, 'verb': 'merge' if self.is_sorted else 'sort'}
        same: Dict[str, Any] = json.loads(json.dumps(told))
        return same

    def check_stamps(self) -> None:
        for piece, (path, stamp) in zip(self.pieces, measure([piece.path for piece in self.pieces],
                                                             self.job.access)):
            if stamp != piece.stamp:
                raise gsort.changed(path)

    @property
    def places(self) -> List[str]:
        """The paths of the output files, which are written by a rename. Empty if the output is in a
        store."""
        return ([] if self.job.is_elsewhere else local.split_places(self.output, self.job.parts)
                if self.split else [self.output])

    @property
    def disk_here(self) -> int:
        """The bytes that are needed beside the output: for the output, for parts that are
        concatenated later, and for sorted files."""
        return (self.size * (not self.job.is_elsewhere + bool(self.joined)
                             + (bool(self.job.files) and not self.is_sorted)))

    def check_room(self, free: Dict[str, int]) -> None:
        """Raises a GsortError if there is too little disk space for sorted files and the output.
        free: free bytes of each node's folder

        Also raises it if the work folder is in another file system than the output.
        """
        here = self.disk_here
        room = os.statvfs(self.work)
        have = room.f_bavail * room.f_frsize
        for folder in dict.fromkeys(map(os.path.dirname, self.places)):
            if os.stat(self.work).st_dev != os.stat(folder).st_dev:
                raise gsort.GsortError(f"'{self.work}': is in another file system than '{folder}', "
                                       f"to which the output is renamed; use a folder there", 2)
        if have < here * SPARE:
            raise gsort.GsortError(f"'{self.work}': {here} bytes are needed there, but {have} are "
                                   f"free", 2)
        if free and sum(free.values()) < self.size * SPARE:
            raise gsort.GsortError(f"'{self.temp}': {self.size} bytes are needed on all nodes "
                                   f"together, but {sum(free.values())} are free", 2)

    def fit(self, job: Job, total: int) -> Job:
        """Returns the job, for S3 with fewer parts if necessary. S3 accepts at most 10,000 pieces,
        each of at least 5 MiB."""
        if job.sink != 's3':
            return job
        # in elements, because a part has whole elements
        least = -(-s3.LEAST // job.order.element_bytes)
        return replace(job, parts=max(1, min(job.parts, s3.MOST_PIECES, total // least)))

    def is_waiting(self, job: Job) -> bool:
        """Returns whether the complete output has not been published yet."""
        if job.sink == 's3':
            return s3.is_open(job.access, job.output, job.upload)
        if job.sink == 'store':
            return store.is_there(job.access, job.upload)
        return os.path.exists(self.joined or job.output)

    def stamps(self, path: str) -> List[List[int]]:
        """Returns the inode, size and time of each output file, which is at `path` before or after
        the commit.

        Any change of a file changes its stamp. Empty if the output is in a store.
        """
        if self.job.is_elsewhere:
            return []
        paths = [os.path.join(path, self.job.part % i)
                 for i in range(1, self.job.parts + 1)] if self.is_folder or self.split else [path]
        return [local.stamp(path) for path in paths]

    def is_placed(self, stamps: List[List[int]], name: str, parts: Sequence[gsort.Report]) -> bool:
        """Returns whether the output is still as the sort `name` published it."""
        if self.job.sink == 's3':
            return s3.is_of(self.job.access, self.output, name)
        if self.job.sink == 'store':
            return store.is_whole(self.job.access, self.output, parts,
                                  self.manifest(self.job, parts))
        try:
            return self.stamps(self.output) == stamps
        except OSError:
            return False

    def manifest(self, job: Job, parts: Sequence[gsort.Report]) -> str:
        """Returns the JSON for a folder of parts: each file, its place in the whole and its
        contents. '': the output is not a folder."""
        if not self.is_folder:
            return ''
        return json.dumps([{'file': job.part % i, 'first': part['part']['first'],
                            **{name: part[name] for name in store.TOLD if part[name] is not None}}
                           for i, part in enumerate(parts, 1)], indent=1)

    def commit(self, job: Job, parts: Sequence[gsort.Report]) -> None:
        """Publishes the output. Several files are renamed one after the other."""
        names, manifest = [job.part % i for i in range(1, job.parts + 1)], self.manifest(job, parts)
        if job.sink == 's3':
            s3.complete(job.access, job.output, job.upload, parts)
        elif job.sink == 'store':
            store.commit(job.access, self.output, job.upload, parts, names, manifest)
        elif self.split:
            local.place_files([os.path.join(job.output, name) for name in names], self.output,
                              f'.gsort-ray-{job.token[:8]}')
        else:
            if self.is_folder:
                local.finish_folder(job.output, names, manifest)
            # again, because it may have changed
            local.refuse_place(self.output, self.is_folder, [piece.path for piece in self.pieces],
                               job.access)
            local.replace(self.joined or job.output, self.output, job.token[:8])


def plain(output: str) -> str:
    """Returns the path of a file:/// URI, because all nodes see these files. Returns other names
    unchanged."""
    return (urllib.parse.unquote(output[len('file://'):]) if output.startswith('file:///')
            else output)


def size_of(text: Union[int, str]) -> int:
    """Returns the bytes of a size: 4096, '64K', '1.5G', or '25%' of this machine's available
    memory. Raises a UsageError for other texts."""
    size = _c.parsed_size(str(text).encode())
    if not size:
        raise UsageError(
            f"--memory: '{text}' is not a size like 512M or 4G or 25% (powers of 1024)")
    return size


def header_of(named: Sequence[str]) -> int:
    """Returns the bytes before the elements of each file, as --header gives them."""
    return int(named[named.index('--header') + 1]) if '--header' in named else 0


def order_of(program: str, paths: Sequence[str], named: Sequence[str], options: Sequence[str] = (),
             output: Sequence[str] = ('out',)) -> Tuple[Order, Any]:
    """Returns the order of the elements of these files, and the dtype of .npy files. gsort reports
    the order without sorting any element.

    It reads empty files with the same names, or the header of a .npy file. So it also checks the
    options.

    Raises a UsageError if the files have different types, or a GsortError if gsort refuses them by
    their names.
    """
    found = {path: None if '--raw' in named else npy_dtype(path) for path in paths}
    first = paths[0]
    npy = found[first]
    for path, other in found.items():
        if (other is None) != (npy is None):
            this, that = ('a', 'not') if other is not None else ('not a', 'one')
            raise UsageError(f"'{path}': is {this} .npy file, but '{first}' is {that}; sort them "
                             f"separately")
        if other is not None and npy is not None and other[0] != npy[0]:
            raise UsageError(f"'{path}': has another type than '{first}'")
    with tempfile.TemporaryDirectory() as folder:
        what = [*named, *options, *output[:-1], '-o', os.path.join(folder, output[-1])]
        if npy is not None:
            return Order.of_report(gsort.run(program, [*what, '--range', '0:0', first]),
                                   npy[0]), npy[0]
        names = dict.fromkeys(os.path.basename(path).removesuffix('.zst') for path in paths)
        empty = [os.path.join(folder, name) for name in names]
        for name in empty:
            with open(name, 'wb') as file:
                file.write(bytes(header_of(named)))
        return Order.of_report(gsort.run(program, [*what, *empty])), None


@dataclass(frozen=True)
class Form:
    """The form of the output: an object, a folder of parts, several files, or one file."""

    name: str  # the name of a file or an object as the user gave it; defines the format
    target: str  # the absolute path or URI, to which links lead
    is_elsewhere: bool
    is_folder: bool
    files: int  # the number of --split
    values: Tuple[str, ...]  # the values of --split-at
    level: int  # the level of zstd; 0: not compressed
    cuts: Tuple[str, ...]  # gsort's options for files and values
    access: Access

    @classmethod
    def of(cls, output: str, options: Mapping[str, Any], access: Access) -> Form:
        is_folder, here = output.endswith('/'), not is_remote(output)
        target, is_packed = (absolute(output) if here else output, output.endswith('.zst')
                             and not options.get('raw'))
        files, values = int(options.get('split') or 0), gsort.texts(options, 'split_at')
        # replaces the file, not a link to it
        place = local.followed(target) if here and not (files or values) else target
        return cls('' if is_folder else os.path.basename(target), place, not here, is_folder, files,
                   values,
                   int(options.get('zstd') or is_packed),
                   gsort.words(options, ('split', 'split_at')), access)

    @property
    def is_split(self) -> bool:
        return self.files > 0 or bool(self.values)

    @property
    def is_one_file(self) -> bool:
        return not (self.is_folder or self.is_split or self.is_elsewhere)

    @property
    def sink(self) -> str:
        """How tasks write to a store: 's3': pieces of one object on S3; 'store': one object per
        part."""
        return 's3' if self.access.is_s3(self.target) and not self.is_folder else 'store'

    @property
    def end(self) -> str:
        """The ending of the output file's name, or ''."""
        return '' if self.is_folder or self.is_elsewhere else os.path.splitext(self.name)[1]

    @property
    def packing(self) -> Tuple[str, ...]:
        return (f'--zstd={self.level}',) if self.level else ()

    @property
    def words(self) -> List[str]:
        """The arguments by which gsort writes this form on one machine, with the name of the output
        last."""
        return [*self.cuts, *self.packing, 'out' if self.is_folder or self.is_elsewhere
                else self.name]


def _refuse_together(form: Form, parts: int, kept: Sequence[str], resume: bool) -> None:
    """Raises a UsageError for options that gsort can combine on one machine, but not on a
    cluster."""
    if '--top' in kept and (parts > 1 or form.is_split):
        raise UsageError('--top: writes one part, so it cannot be used with --parts or --split')
    if form.is_split and (parts or form.is_folder):
        raise UsageError(f"'{form.target}': --split and --split-at define the parts, so they "
                         f"cannot be used with --parts or a folder")
    if form.is_split and resume:
        raise UsageError('--split: cannot be used with --resume, which continues only sorts to one '
                         'file')
    if form.is_elsewhere and form.is_split:
        raise UsageError(f"'{form.target}': --split and --split-at write only files that all nodes "
                         f"see; for a folder of parts, end the name in /")
    if form.is_elsewhere and not form.is_folder and kept:
        raise UsageError(f"'{form.target}': the sizes of groups and of --top are not known before "
                         f"the end; end the name in / for a folder of parts")
    if form.is_elsewhere and form.sink == 'store':
        store.refuse(form.access, form.target, parts)


def _kept(order: Order, dtype: Any, words: Sequence[str], group: int, form: Form) -> Kept:
    """Returns what parts write. words: options of the output

    Names of fields are replaced by offsets, because slices have no header.
    """
    reduces = list(words)
    for i, word in enumerate(words):
        if i > 0 and words[i - 1] in FOLDS and dtype is not None and not word[0].isdigit():
            reduces[i] = layout_of(dtype, [word]).key[0]
    sums = [reduces[i + 1].partition(':')[2] for i, word in enumerate(words) if word == '--sum']
    is_late = (any(word in LATE or word.lower().endswith(':wide') for word in words)
               or any(found is not None and found.is_float for found in map(type_of, sums))
               or ('--unique' in words and '--top' in words))
    # an aggregated key would change which record is kept
    is_late |= 0 < group < len(order.keys) and any(word in FOLDS for word in words)
    groups = group if '--unique' in words and '--top' not in words else -1
    frame = (FRAME // math.gcd(FRAME, order.element_bytes) if form.level and form.is_one_file
             and not words else 1)
    return Kept(tuple(reduces), bool(words) and not is_late, groups, form.values, form.packing,
                frame)


def make(inputs: Sequence[str], output: str, options: Mapping[str, Any], *, parts: int,
         temp: Optional[str], work: Optional[str],
         is_sorted: bool, resume: bool, program: Optional[str], cpus: int, access: Access) -> Plan:
    """Returns the plan. Raises the errors of sort_file.

    options: gsort's options
    parts: how many parts; 0: a multiple of the tasks that run at the same time, so that a part has
        at most 256 MiB
    cpus: the processors of the cluster
    """
    began, found, paths = time.monotonic(), gsort.find(program), expand(inputs, access)
    named, conditions, kept = (gsort.words(options, names)
                               for names in (gsort.ORDER, gsort.WHERE, gsort.WRITTEN))
    memory, threads = size_of(options.get('memory', '1G')), int(options.get('parallel', 1))
    raw, header = '--raw' in named, header_of(named)
    form = Form.of(output, options, access)
    _refuse(paths, output, header, is_sorted, temp, conditions)
    _refuse_together(form, parts, kept, resume)
    if not form.is_elsewhere:
        local.refuse_place(form.target, form.is_folder, paths, access)
    elif form.is_folder:
        store.refuse_inside(access, form.target, paths)
    order, dtype = order_of(found, paths, named,
                            [*conditions, *kept,
                             *gsort.tuning(options.get('memory', '1G'), threads)], form.words)
    if is_remote(paths[0]):
        named = order.options
    elif dtype is None and '--type' not in named and order.type != 'record':
        named = (*named, '--type', order.type)  # the name of the output may define it
    tasks = max(1, cpus // threads)
    stamps = measure(paths, access)
    if is_remote(paths[0]) and not raw:
        refuse_formats(found, order, stamps, access)
    size = sum(piece.bytes for piece in pieces(stamps, order.element_bytes, header, WHOLE, raw))
    taken = pieces(stamps, order.element_bytes, header, WHOLE if is_sorted
                   else _piece_bytes(size, order, memory, tasks), raw)
    count = (1 if '--top' in kept else len(form.values) + 1 if form.values else form.files or parts
             or tasks * -(-size // (tasks * PART)) or 1)
    if form.is_split:
        local.refuse_split(form.target, count)
    keeps = _kept(order, dtype, kept, int(options.get('group', 0)), form)
    changed = bool(kept or form.level)  # the lengths of parts are known only after they are made
    beside = (os.path.basename(output.rstrip('/')) if form.is_elsewhere
              else form.target) + '.gsort-ray'
    folder = absolute(os.path.join(work, os.path.basename(beside)) if work else beside)
    suffix = ('' if is_remote(paths[0])
              else os.path.splitext(os.path.basename(paths[0]).removesuffix('.zst'))[1])
    sink = (form.sink if form.is_elsewhere else 'into' if form.is_one_file and not changed
            else 'files')
    whole = os.path.join(folder, 'whole' + (form.end if sink == 'into' else ''))
    place = output if form.is_elsewhere else whole
    end = suffix.replace('%', '%%') + '.zst' * bool(form.level) if form.is_folder else ''
    pattern = form.name if form.is_split else 'part-%05d' + end
    joined = os.path.join(folder, 'joined' + form.end) if form.is_one_file and changed else ''
    head = _head(paths[0], dtype, order, kept, header, raw, suffix if form.is_folder else form.end)
    _refuse_head(form, head, kept)
    job = Job(found, order, named, conditions, keeps, str(memory), threads, count, place, sink,
              pattern, suffix,
              '' if temp is not None else folder, b'' if joined else head, secrets.token_hex(16),
              temp is not None or keeps.is_unequal or changed or sink == 'store' and head != b'',
              access)
    return Plan(job, taken, size, form.target, folder, temp, memory, is_sorted, form.is_folder,
                form.is_split, joined, head, began)


def _head(path: str, dtype: Any, order: Order, kept: Sequence[str], header: int, raw: bool,
          end: str) -> Any:
    """Returns what is before the elements of an output that is merged from slices: bytes, or the
    dtype for a header of .npy."""
    if dtype is None and (raw or end != '.npy'):
        return beginning(path, header, raw) if header else b''
    made = (dtype if dtype is not None else np.dtype(f'V{order.element_bytes}')
            if order.type == 'record' else numpy_dtype(order.type))
    return with_count(made) if '--count' in kept else made


def _piece_bytes(size: int, order: Order, memory_bytes: int, tasks: int) -> int:
    """Returns the bytes of a piece that fits into the memory of a task.

    All tasks that run at the same time get equally many pieces, unless the pieces would have less
    than 1 MiB.
    """
    tag = 16 if order.type == 'record' else 0
    most = int(max(LEAST, (memory_bytes - FIXED) * SHARE) * order.element_bytes
               / (order.element_bytes + tag))
    count = -(-max(1, size) // most)
    return max(LEAST, -(-size // (-(-count // tasks) * tasks)))


def _refuse_head(form: Form, head: Any, kept: Sequence[str]) -> None:
    """Raises a UsageError for a header in a compressed output, or in an object that many tasks
    write."""
    if form.is_elsewhere and not form.is_folder and (head != b'' or form.level
                                                     or form.name.endswith('.npy')):
        raise UsageError(f"'{form.target}': one object in a store must be plain: no .npy, no .zst, "
                         f"no header; end the name in / for a folder of parts with these")
    if form.is_elsewhere and kept and head != b'':
        raise UsageError(f"'{form.target}': the sizes of groups and of --top are not known before "
                         f"the end, but a header must be written first; sort files without one")
    if form.level and (head != b'' or form.name.endswith('.npy.zst')):
        raise UsageError(f"'{form.target}': an output that many tasks compress cannot have a "
                         f"header or be .npy")


def _refuse(paths: Sequence[str], output: str, header: int, is_sorted: bool, temp: Optional[str],
            conditions: Sequence[str]) -> None:
    remote = any(map(is_remote, paths))
    for path in paths:
        if is_remote(path) and (path.endswith(('.npy', '.zst')) or header or is_sorted):
            raise UsageError(f"'{path}': files in a store must be plain: no .npy, no .zst, no "
                             f"header; and they cannot be merged")
        if is_sorted and path.endswith('.zst'):
            raise UsageError(f"'{path}': is compressed, so that parts cannot be found in it; "
                             f"decompress it")
    bucket, _, key = output[len('s3://'):].partition('/')
    if output.startswith('s3://') and not (bucket and (key or output.endswith('/'))):
        raise UsageError(f"'{output}': is not the name of an object, or of a folder with / at its "
                         f"end")
    if remote and not all(map(is_remote, paths)):
        raise UsageError('inputs must all be in a store, or none of them')
    if is_sorted and conditions:
        raise UsageError('--where: cannot be used with a merge')
    if is_sorted and temp is not None:
        raise UsageError('--temp: cannot be used with a merge, which reads inputs where they are')
