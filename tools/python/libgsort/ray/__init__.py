"""A sort past one machine: Ray schedules, gsort sorts, and what is between are plain files.

1. Map: a task sorts a piece of the input into a plain sorted file, on the shared file system or on its node's disk, and returns a
   handle of some KB: where, how many, gsort's report, every s-th element. No data go through Ray's object store.
2. Cut: equal parts of the whole order, by key, file and place, so that equal keys are split exactly. On a shared file system
   `gsort --part` finds them in each task; over nodes `cut` does, from the handles and a few elements of each file.
3. Reduce: a task merges its slice of all files into its place of one file, a file of its own, there or elsewhere, or pieces of an S3 object. Slices on
   other nodes come by Arrow Flight through pipes into `gsort -m`. It may run again at any time, and makes the same bytes. Of groups
   (-u) and of what is packed the lengths show here: such parts are files, which are then put behind one another.
4. Commit: `gsort --join-reports` compares counts and fingerprints of maps and parts, and the seams; then one rename, or the store's moves.
5. A lost node's sorted files, and only those, are made again: the same bytes, so cuts and finished parts stay. The journal beside
   the output has each task that is done; with resume=True the next driver goes on from there. Else nothing is left of a driver
   that died: a shell at each folder waits for its end.

    import libgsort.ray
    report = libgsort.ray.sort_file('s3://bucket/in/*.u64', '/shared/out.u64', parts=64, memory='2G')

`python -m libgsort.ray` is the same as a program.
"""
from __future__ import annotations

import logging
import operator
import os
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

from ..errors import UsageError, type_error
from ..files import layout_of_files
from ..layout import Keys, key_list
from ..progress import Progress, progress_shower
from ..report import Report
from .gsort import GsortError

__all__ = ['GsortError', 'merge', 'sort', 'sort_file']

Name = Union[str, 'os.PathLike[str]']
Inputs = Union[Name, Sequence[Name]]


def _list(inputs: Inputs) -> Sequence[str]:
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    try:
        return [os.fspath(name) for name in names]
    except TypeError:
        raise type_error(f'inputs: a name, or several, not {inputs!r}') from None


def _parts(given: Any) -> int:
    try:
        parts = operator.index(given)
    except TypeError:
        raise type_error(f'parts: a number, not {given!r}') from None
    if parts < 0:
        raise UsageError(f'parts: {parts} is below 0')
    return parts


def connect(address: Optional[str]) -> int:
    """Processors of the cluster."""
    import ray
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    return int(ray.cluster_resources().get('CPU', 1))


def sort_file(inputs: Inputs, output: Name, *, dtype: Any = None, key: Keys = None, parts: int = 0, temp: Optional[str] = None,
              resume: bool = False, work: Optional[str] = None, address: Optional[str] = None, program: Optional[str] = None,
              progress: Union[bool, Callable[[Progress], object]] = False, is_sorted: bool = False, explain: bool = False,
              filesystem: Any = None, storage_options: Optional[Mapping[str, Any]] = None, **options: Any) -> Report:
    """Sorts files into one on a Ray cluster; the output appears whole or not at all. Returns the report of the whole,
    whose `ray` says how it went.

    inputs: files that all nodes see, plain, .npy or packed by zstd; with * ? [ they are patterns; or plain ones elsewhere: s3://bucket/key,
        and what pyarrow.fs or fsspec reads on each node: gs://, abfs://, hdfs://, with * [ in the last part of the name. One whose size or time
        (on S3: whose tag) changes meanwhile is an error; another one that has both, as of cp -p, is not noticed
    output: a file that all nodes see, also by a link; a folder, if it ends in /, of part-00001 and so on, and manifest.json; or either of them
        elsewhere: s3://bucket/key, gs://bucket/folder/, and what pyarrow.fs or fsspec writes on each node. One object of several parts takes a
        store that puts them together: S3, and Google's by gcsfs
    parts: how many tasks merge; default from the size and the cluster's processors
    temp: a folder on each node's own disk for sorted files, which nodes then read from each other; default beside the output
    resume: keep what is done if the driver dies, and go on with what was kept. Whether an output elsewhere is the one that a driver put there which
        died behind that, size and both ends of each part tell
    work: the folder in which a folder for that is made, in the file system of the output; default that of the output
    address: of the cluster; default the one that there is, else a new one on this machine
    program: gsort on all nodes; default GSORT of the environment, else that of the wheel, else from PATH
    dtype, key: as of libgsort.sort_file
    explain: nothing is sorted; `ray` of the report is the plan, and how long it takes with the rates that the nodes measure
    filesystem: a file system of pyarrow.fs or fsspec, which has the credentials, for the names that begin with a scheme; default: what each
        node finds by its environment, profiles or role
    storage_options: the same by fsspec's words, as pandas takes them: {'key': .., 'secret': .., 'endpoint_url': ..}
    progress: True: a line, tqdm's if it is there; or what is called with a libgsort.Progress: maps read, and reduces write
    options: those of gsort by their names, as libgsort.options() has them: type, record, reverse, where, header, raw, unique, keep,
        group, count, sum, min, max, top, split, split_at, zstd; and of each task, of which a node gets as many as it has
        processors and memory for: memory (default 1G), threads (default 1)
    """
    from . import driver, gsort, plan
    from .access import access_of
    options.update(_elements(dtype, key, options))
    if not isinstance(output, (str, os.PathLike)):
        raise type_error(f'output: a name, not {output!r}')
    names, target = _list(inputs), plan.plain(os.fspath(output))
    access = access_of(filesystem, storage_options, [*names, target])
    made = plan.make(names, target, gsort.given(options), parts=_parts(parts), temp=temp, work=work, is_sorted=is_sorted, resume=resume,
                     program=program, cpus=connect(address), access=access)
    show, end = (progress, lambda: None) if callable(progress) else progress_shower() if progress else (lambda at: None, lambda: None)
    try:
        return Report(driver.sort(made, resume and not explain, show, explain))
    finally:
        end()


def _elements(dtype: Any, key: Keys, options: Dict[str, Any]) -> Dict[str, Any]:
    """type, record and key, of words of NumPy's."""
    layout = layout_of_files(dtype, key)
    if dtype is not None and not {'type', 'record'}.isdisjoint(options):
        raise type_error('type and record: the dtype says what they would')
    found = {'type': layout.type, 'record': layout.record or None, 'key': list(layout.key) or None}
    return {name: value for name, value in found.items() if value is not None}


def merge(inputs: Inputs, output: Name, **options: Any) -> Report:
    """The same of files that are sorted already; all nodes see them."""
    return sort_file(inputs, output, is_sorted=True, **options)


def sort(dataset: Any, keys: Keys = None, *, parts: int = 0, memory: Union[int, str] = '1G', threads: int = 1, nulls: str = 'last',
         temp: Optional[str] = None) -> Any:
    """Sorts a ray.data.Dataset of any columns; rows with equal keys keep their order. Returns a new one, whose blocks are Arrow's.

    keys, nulls: as of libgsort.sort_table
    parts: how many blocks come out, nearly equal; default as many as went in
    memory, threads: of each task: the ceiling for what it takes beside its blocks, which are in Ray's object store; and processors
    temp: a folder on each node for what does not fit; default $TMPDIR or /tmp

    What fails is what fails in sort_table, of any block.
    """
    import ray.data  # noqa: F401

    from . import dataset as datasets
    if not hasattr(dataset, 'to_arrow_refs'):
        raise type_error(f'dataset: a ray.data.Dataset, not {type(dataset).__name__}; sort_file is for files')
    return datasets.sort(dataset, _parts(parts), threads, (key_list(keys), nulls, memory, temp))
