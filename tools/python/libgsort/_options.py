"""Keywords by the groups of `gsort --help`, for those who check types. Made by make_options.py from the library's table."""
from __future__ import annotations

from typing import Sequence, TypedDict, Union

from .table import Path


class WhatToSort(TypedDict, total=False):
    type: str  # elements: uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 u128 i128 time64, each with be behind it if big endian; default from the name (x.f64, books_200M_uint64), else u64
    record: int  # elements are records of N bytes, 1 to 65536
    key: Union[str, Sequence[str]]  # key in the record, repeatable, the first decides first: a type as in -t, or bN: N bytes; default all bytes; of a .npy file also NAME[:desc], default all fields
    where: Union[str, Sequence[str]]  # only elements for which this is true, repeatable, all have to be; op is == != < <= > or >=, TYPE as in -k; of numbers <op>VALUE, of a .npy file also NAME<op>VALUE
    reverse: bool  # largest first
    nan: str  # NaNs and NaTs come last or first in either direction; else they are last, and with -r first
    ties: str  # input (default): records with equal keys keep their order; bytes: all their other bytes decide
    merge: Union[bool, str]  # merge inputs that are sorted already, which is checked; SET says what stays: all (default), union, intersect, except, semi or anti
    header: int  # every input begins with a header of N bytes (1M at most); that of the first one is copied to the output
    drop_header: bool  # do not write a header: neither that of --header nor that of a .npy file
    drop_tail: bool  # leave out bytes behind the last whole element, and say so
    region: str  # only BYTES bytes of the file, from byte OFFSET on; without BYTES all from there on; nothing else of it is read
    range: str  # only COUNT elements of the files, from number FIRST on; the first is 0; without COUNT all from there on
    part: str  # with -m, only part I of N equal parts of the output, read from its place in each file
    find: Union[float, str]  # print where VALUE, or LO..HI, is in the sorted FILE, as FIRST:COUNT; with -o write what is there, of all files; of records by the first key; either end may be left out
    raw: bool  # recognise no format: sort the bytes of .zst, .npy, text and other files as they are, and write them so
    strict: bool  # fail where neither -t nor a name nor a format says what elements are, instead of taking them for u64


class WhatToWrite(TypedDict, total=False):
    into: Path  # with -m: write the part at its place in FILE, which has room for all parts; the first job makes it
    split: int  # write N files of equally many elements, numbered from 1 on; -o is a pattern for their names, as out.%03d
    split_at: Union[Union[float, str], Sequence[Union[float, str]]]  # the same by values, of records by the first key: each file but the first begins at a value
    unique: bool  # of elements with equal keys write only the first; with -c they are disorder, too
    count: bool  # with -u: write behind each element how many had its key, as a u64, little endian
    keep: str  # with -u, of elements with equal keys write: first, last, singles (those alone), dups (the first of several) or repeated (all of several)
    group: int  # with -u: records are equal if their first N keys are; all keys decide which is first and last
    sum: Union[str, Sequence[str]]  # with -u: this field becomes its exact sum over all with that key; repeatable; wide: the sum stands behind the record, in 8 bytes for up to 4, else twice as many, floats as f64
    min: Union[str, Sequence[str]]  # the same with the minimum; repeatable
    max: Union[str, Sequence[str]]  # the same with the maximum; repeatable
    out: Union[str, Sequence[str]]  # write only these bytes of each record, in this order; of a .npy file also NAME
    out_order: str  # write the numbers little or big endian, whatever they were
    values: Union[str, Sequence[str]]  # move elements of BYTES bytes of another file along with the keys, one with each, and write them to OUT; repeatable
    argsort: Union[bool, str]  # write positions in place of elements: where each one was in the inputs, counted through all from 0, as u64 (default) or u32
    top: Union[int, str]  # write only the first K elements (K M G: powers of 1000), in order; the rest is not sorted, if these fit into memory
    zstd: Union[bool, int]  # pack the output by zstd, LEVEL from 1 (default) to 19; it is packed anyway if its name ends in .zst
    verify: str  # stream (default): what goes to the output; read: also what the disk holds, before it takes the output's place


class MemoryAndDisk(TypedDict, total=False):
    memory: Union[int, str]  # ceiling for the whole process; default half of what machine, cgroup and rlimit allow; SIZE is bytes, K M G T P E (powers of 1024) or %
    temporary_directory: Union[Path, Sequence[Path]]  # where runs are spilled, repeatable; default the output's directory, for standard output $TMPDIR or /tmp
    temp: Union[Path, Sequence[Path]]  # where runs are spilled, repeatable; default the output's directory, for standard output $TMPDIR or /tmp
    resume: Path  # keep what is done in DIR, so that the same command goes on after a kill; takes room for all runs beside the output
    compress: str  # spilled runs: auto (what is faster, as measured), none, deltas or zstd[:LEVEL], LEVEL from 1 (default) to 19
    spill: str  # auto (default): what does not fit; always: every run


class Device(TypedDict, total=False):
    device: str  # where to sort: auto (a GPU for large files, where there is one), cpu, cuda, cuda:N, cuda:0,2 or cuda:all
    device_memory: Union[int, str]  # take at most SIZE of a GPU's memory
    device_model: Union[Path, Sequence[Path]]  # with --explain: plan for the GPUs that FILE describes (JSON) and say how long they would take; none has to be here


class Reports(TypedDict, total=False):
    stats_of: Union[str, Sequence[str]]  # field of the record to report aggregates of, repeatable; default the first key that is a number
    quantiles: Union[Union[float, str], Sequence[Union[float, str]]]  # report exact quantiles: decimals from 0 to 1, or median; of records those of the first key
    histogram: int  # report how many values are in each of N bins of equal width
    distinct: bool  # report how many values differ
    mode: bool  # report the most frequent value
    variance: bool  # report mean, variance and standard deviation, from exact sums


class Tuning(TypedDict, total=False):
    parallel: int  # threads that sort and merge; default all processors
    threads: int  # threads that sort and merge; default all processors
    batch_size: int  # merge at most N spilled runs at once
    io: str  # I/O engine: auto, uring or threads
    chunk: Union[int, str]  # sort SIZE bytes in one piece; default by memory
    window: Union[int, str]  # merge and write SIZE bytes in one piece; default by memory
    tune: str  # how a GPU merges two runs: merge=tiles (default), or merge=circular, by circular buffers in shared memory
