"""Sorts on a cluster: Ray schedules tasks, gsort sorts in them, and plain files connect them.

1. Map: a task sorts a piece of the input into a plain sorted file, on the shared file system or on
   its node's disk. It returns a handle of some KB: the place, the count and gsort's report. No data
   pass through Ray's object store.
2. Cut: divides the whole order into equal parts, by key, file and position, so that equal keys are
   split exactly. On a shared file system `gsort --part` finds the cuts in each task. Over nodes
   `cut` finds them, from a few elements of each file.
3. Reduce: a task merges its slice of all files. It writes to its place in one file, to its own file
   on any file system, or to pieces of an S3 object. Slices on other nodes arrive by Arrow Flight,
   through pipes to `gsort -m`. A task may run again at any time, and writes the same bytes. The
   lengths of groups (-u) and of compressed parts are known only here: such parts are files, which
   are concatenated later.
4. Commit: `gsort --join-reports` compares counts and fingerprints of maps and parts, and the seams.
   Then one rename, or moves in the store, publish the output.
5. After the loss of a node, only its sorted files are made again. They have the same bytes, so cuts
   and finished parts stay valid. The journal beside the output lists the tasks that are done; with
   resume=True the next driver continues from there. Without it, a driver that dies leaves no files:
   a shell at each folder waits for its end and removes them.

    import libgsort.ray
    report = libgsort.ray.sort_file('s3://bucket/in/*.u64', '/shared/out.u64', parts=64,
                                        memory='2G')

`python -m libgsort.ray` does the same from the command line.
"""
from __future__ import annotations

import logging
import operator
import os
from contextlib import contextmanager
from typing import (Any, Callable, Collection, Dict, Iterator, List, Mapping, Optional, Sequence,
                    Union)

from .._hints import Unpack
from ..errors import Error, UsageError, type_error
from ..files import layout_of_files
from ..layout import key_list
from ..progress import Progress, progress_shower
from ..report import Report
from ..tables import table_keys
from ..keywords import Descending, Keys, OtherKeys, in_keywords, named, nulls_of
from .gsort import GsortError

__all__ = ['GsortError', 'merge', 'sort', 'sort_file']

Name = Union[str, 'os.PathLike[str]']
Inputs = Union[Name, Sequence[Name]]


def _list(inputs: Inputs) -> Sequence[str]:
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    try:
        return [os.fspath(name) for name in names]
    except TypeError:
        raise type_error(f'inputs: must be a name or several, not {inputs!r}') from None


def _parts(given: Any) -> int:
    try:
        parts = operator.index(given)
    except TypeError:
        raise type_error(f'parts: must be a whole number, not {given!r}') from None
    if parts < 0:
        raise UsageError(f'parts: {parts} is negative')
    return parts


@contextmanager
def _errors_in_keywords(given: Collection[str]) -> Iterator[None]:
    """Replaces options by keywords in errors raised inside the `with` block: 'top', not '--top'."""
    try:
        yield
    except Error as error:
        error.as_typed = str(error)
        error.args = (in_keywords(error.as_typed, given), *error.args[1:])
        raise


def connect(address: Optional[str]) -> int:
    """Connects to the cluster, or starts one here. Returns its number of processors."""
    import ray
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    # not cluster_resources(), which lacks nodes that joined a moment ago
    return int(sum(node['Resources'].get('CPU', 0) for node in ray.nodes() if node['Alive']))


def sort_file(inputs: Inputs, output: Name, *, by: Keys = None, descending: bool = False,
              dtype: Any = None, parts: int = 0, temp: Optional[str] = None,
              resume: bool = False, work: Optional[str] = None, address: Optional[str] = None,
              program: Optional[str] = None,
              progress: Union[bool, Callable[[Progress], object]] = False, is_sorted: bool = False,
              explain: bool = False,
              filesystem: Any = None, storage_options: Optional[Mapping[str, Any]] = None,
              **options: Any) -> Report:
    """Sorts files into one file on a Ray cluster; the output appears whole or not at all. Returns a
    Report; its `ray` has details.

    inputs: a name or several: files that all nodes see: plain, .npy or compressed with zstd; * ? [
        make a name a pattern. Or plain files in a store: s3://bucket/key, and URIs that pyarrow.fs
        or fsspec reads on each node (gs://, abfs://, hdfs://), with * [ in the last part of the
        name. If the size or time of an input changes during the sort (on S3: its tag), the sort
        fails. A replacement with the same size and time, as by cp -p, is not noticed
    output: a file that all nodes see, also through a link. If it ends in /, a folder of part-00001
        and so on, and manifest.json. Either may be in a store: s3://bucket/key,
        gs://bucket/folder/, and URIs that pyarrow.fs or fsspec writes on each node. To write one
        object in several parts, the store must be able to join them: S3, and Google's by gcsfs
    parts: how many tasks merge; default: from the size and the processors of the cluster
    temp: a folder on the disk of each node for sorted files, which nodes read from each other;
        default: beside the output
    resume: keep finished work if the driver dies, and continue with the work that was kept. If the
        output is in a store and a driver died after it published it, size and both ends of each
        part identify it
    work: the folder for that finished work, in the file system of the output; default: the folder
        of the output
    address: the address of the cluster; default: the cluster that runs, or else a new one on this
        machine
    program: the program gsort on all nodes; default: $GSORT, or else the program of the wheel, or
        else the one in PATH
    by, descending, dtype: as for libgsort.sort_file
    explain: do not sort; `ray` of the report is the plan, and its duration by rates that the nodes
        measure
    filesystem: a file system of pyarrow.fs or fsspec with credentials, for names with a scheme.
        Default: the credentials of each node, from its environment, profiles or role
    storage_options: the same as a dict for fsspec, as in pandas: {'key': .., 'secret': ..,
        'endpoint_url': ..}
    progress: True draws a line (by tqdm if it is installed); or a function that is called with a
        libgsort.Progress. Maps read, reduces write
    options: options of gsort, as libgsort.options() explains: type, record, where, header,
        raw, unique, keep, group, count, sum, min, max, top, split, split_at and zstd. For each
        task: memory (default 1G) and threads (default 1); a node runs as many tasks as its
        processors and memory allow

    Raises a UsageError for options that a cluster cannot do, a FileError for files, and a
    GsortError if gsort fails on a node.
    """
    from . import driver, gsort, plan
    from .access import access_of
    options, given = named(options, by=by, descending=descending), {*options, 'by'}
    options.update(_elements(dtype, options.pop('by', None), options))
    if not isinstance(output, (str, os.PathLike)):
        raise type_error(f'output: must be a name, not {output!r}')
    names, target = _list(inputs), plan.plain(os.fspath(output))
    access = access_of(filesystem, storage_options, [*names, target])
    show, end = progress_shower(progress)
    try:
        with _errors_in_keywords(given):
            made = plan.make(names, target, gsort.given(options), parts=_parts(parts), temp=temp,
                             work=work, is_sorted=is_sorted, resume=resume,
                             program=program, cpus=connect(address), access=access)
            return Report(driver.sort(made, resume and not explain, show, explain))
    finally:
        end()


def _elements(dtype: Any, key: Keys, options: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the options type, record and key for a dtype and key of Python."""
    layout = layout_of_files(dtype, key)
    if dtype is not None and not {'type', 'record'}.isdisjoint(options):
        raise type_error('type and record: cannot be used with dtype, which defines the elements')
    found = {'type': layout.type, 'record': layout.record or None, 'key': list(layout.key) or None}
    return {name: value for name, value in found.items() if value is not None}


def merge(inputs: Inputs, output: Name, **options: Any) -> Report:
    """Merges sorted files into one file on a Ray cluster. All nodes must see the files.

    inputs, output, options: as for sort_file, except where and temp. Returns a Report
    """
    return sort_file(inputs, output, is_sorted=True, **options)


def sort(dataset: Any, by: Keys = None, *, descending: Descending = False, parts: int = 0,
         memory: Union[int, str] = '1G', threads: int = 1,
         nulls_last: Optional[bool] = None, nulls: Optional[str] = None, temp: Optional[str] = None,
         **words: Unpack[OtherKeys]) -> Any:
    """Sorts a ray.data.Dataset with columns of any type. Rows with equal keys keep their order.

    by, descending, nulls_last: as for libgsort.sort_table
    parts: how many blocks of nearly equal size to make; default: as many as `dataset` has
    memory: the limit for each task, besides its blocks, which are in Ray's object store
    threads: how many processors each task uses
    temp: a folder on each node for temporary files; default: $TMPDIR or /tmp

    Returns a new Dataset with Arrow blocks. Raises the errors of libgsort.sort_table for any block.
    """
    import ray.data  # noqa: F401

    from . import dataset as datasets
    if not hasattr(dataset, 'to_arrow_refs'):
        raise type_error(f'dataset: must be a ray.data.Dataset, not {type(dataset).__name__}; use '
                         f'sort_file for files')
    keys = key_list(table_keys(by, words)), descending
    how = keys, nulls_of(nulls, nulls_last) or 'last', memory, temp
    return datasets.sort(dataset, _parts(parts), threads, how)


def __dir__() -> List[str]:
    return [*__all__, *(name for name in globals() if name.startswith('__'))]
