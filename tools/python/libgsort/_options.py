"""Keywords by the groups of `gsort --help`, for type checkers.

Made by make_options.py from the library's table.
"""
from __future__ import annotations

from typing import Sequence, TypedDict, Union

from .keywords import Path


class WhatToSort(TypedDict, total=False):
    type: str  # Set the element type, such as u32, i64 or f64.
    record: int  # Sort records of N bytes, from 1 to 65536.
    fields: Union[str, Sequence[str]]  # Name fields of records: --fields=id=0:u64,price=8:f64.
    where: Union[str, Sequence[str]]  # Keep only elements for which this is true.
    reverse: bool  # Sort in descending order, largest first.
    nan: str  # Put NaN and NaT (not a time) first or last, whatever the direction.
    ties: str  # Choose the order of records with equal keys.
    merge: Union[bool, str]  # Merge inputs that are already sorted.
    header: int  # Skip a header of N bytes in every input.
    drop_header: bool  # Write no header.
    drop_tail: bool  # Ignore bytes after the last whole element of an input.
    region: str  # Read only BYTES bytes of the file, starting at byte OFFSET.
    range: str  # Read only COUNT elements, starting at element FIRST.
    part: str  # With -m, write only part I of N equal parts of the output.
    find: Union[float, str]  # Print where VALUE is in a sorted file.
    raw: bool  # Sort the bytes of the files as they are, without recognising any format.
    strict: bool  # Fail if nothing says what the elements are, instead of assuming u64.


class WhatToWrite(TypedDict, total=False):
    into: Path  # With -m, write the result or its --part at its place in FILE.
    split: int  # Write N files of equally many elements instead of one.
    # Write one file for each range between the values V.
    split_at: Union[Union[float, str], Sequence[Union[float, str]]]
    unique: bool  # Write only the first element of each key.
    count: bool  # With -u, append a count to each element.
    keep: str  # With -u, choose which elements of a group of equal keys to write.
    group: int  # With -u, records are equal if their first N keys are equal.
    sum: Union[str, Sequence[str]]  # With -u, replace this field with its exact sum over the group.
    min: Union[str, Sequence[str]]  # With -u, replace this field with its minimum over the group.
    max: Union[str, Sequence[str]]  # With -u, replace this field with its maximum over the group.
    # With -u, sort the groups by columns of the result: --order-by=count:desc,id.
    order_by: Union[str, Sequence[str]]
    out: Union[str, Sequence[str]]  # Write only these bytes of each record, in this order.
    out_order: str  # Write numbers in little or big endian byte order.
    # Reorder the values of another file like the keys, and write them to OUT.
    values: Union[str, Sequence[str]]
    argsort: Union[bool, str]  # Write positions instead of elements.
    top: Union[int, str]  # Write only the first K elements, in order.
    shuffle: Union[bool, int]  # Write all elements in random order instead of sorting them.
    # Write K elements chosen at random, in random order, or all if there are fewer.
    sample: Union[int, str]
    # Write the element at each position in the file POSITIONS, in its order, instead of sorting.
    permute: str
    zstd: Union[bool, int]  # Compress the output with zstd.
    verify: str  # Choose how gsort verifies the output before it replaces FILE.


class MemoryAndDisk(TypedDict, total=False):
    memory: Union[int, str]  # Use at most SIZE of memory: 500M, 2G or 25%.
    temporary_directory: Union[Path, Sequence[Path]]  # Write temporary files to DIR.
    temp: Union[Path, Sequence[Path]]  # Write temporary files to DIR.
    # Keep progress in DIR, so that the same command continues after a kill or a power cut.
    resume: Path
    compress: str  # Choose how to store temporary data: none, deltas, zstd or auto.
    spill: str  # Choose when to write sorted runs to disk.


class Device(TypedDict, total=False):
    device: str  # Choose the device that sorts: auto, cpu or cuda (GPU).
    device_memory: Union[int, str]  # Use at most SIZE of each GPU's memory.
    # With --explain, print a plan for other GPUs than those of this machine.
    device_model: Union[Path, Sequence[Path]]


class Reports(TypedDict, total=False):
    # Report minimum, maximum and sum of this field of the record.
    stats_of: Union[str, Sequence[str]]
    # Report exact quantiles: --quantiles=0.5,0.99.
    quantiles: Union[Union[float, str], Sequence[Union[float, str]]]
    histogram: int  # Report how many values are in each of N bins of equal width.
    distinct: bool  # Report the number of distinct values.
    mode: bool  # Report the most frequent value and its count.
    variance: bool  # Report mean, variance and standard deviation.


class Tuning(TypedDict, total=False):
    parallel: int  # Sort and merge with N threads.
    threads: int  # Sort and merge with N threads.
    batch_size: int  # Merge at most N sorted runs at the same time.
    io: str  # Choose the I/O engine: uring, threads or auto.
    chunk: Union[int, str]  # Sort SIZE bytes at a time.
    window: Union[int, str]  # Merge and write SIZE bytes at a time, at most 1G.
    tune: str  # With --device=cuda, choose how a GPU merges two runs.
