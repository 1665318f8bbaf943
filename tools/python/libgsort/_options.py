"""Keywords by the groups of `gsort --help`, for those who check types. Made by make_options.py from the library's table."""
from __future__ import annotations

from typing import Sequence, TypedDict, Union

from .table import Path


class WhatToSort(TypedDict, total=False):
    type: str  # Elements are uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 u128 i128 time64, each with be behind it if big endian. The default comes from the .npy header or the file's name (x.f64, x.f64.zst, books_200M_uint64); else it is u64. Times may have a unit: time64[ms].
    record: int  # Elements are records of N bytes, 1 to 65536.
    key: Union[str, Sequence[str]]  # A key begins at byte OFF of the record. TYPE is as with -t, or bN: N bytes in lexicographic order. The option may be given 64 times; the first key decides first; keys may overlap. Without any, the whole record is the key, as bytes. Of a .npy file the key may also be NAME or NAME:desc, and the default is all fields.
    where: Union[str, Sequence[str]]  # Only elements for which this is true go on; it may be given 64 times, and all have to be. The operator is ==, !=, <, <=, > or >=; TYPE is as with -k. Of numbers it is <op>VALUE, of a .npy file also NAME<op>VALUE.
    reverse: bool  # The largest comes first. Records with equal keys keep their order.
    nan: str  # NaNs, and NaTs of times, come last or first, whatever the direction of the sort or of a key. Else they come behind the largest number: last, and in descending order first.
    ties: str  # Records with equal keys keep the order of the input (default), or come in the order of all their other bytes: then the output does not depend on the order of the input.
    merge: Union[bool, str]  # The inputs are sorted already, in this order and type; they are merged. SET says which elements stay: all (default), union, intersect, except, semi or anti.
    header: int  # Every input begins with a header of N bytes, 1M at most, which is not sorted. The header of the first input is copied to the output.
    drop_header: bool  # No header is written: neither that of --header nor that of a .npy file, of which plain data are written.
    drop_tail: bool  # Bytes behind the last whole element of an input are left out, and a line says how many; else they are an error.
    region: str  # Only BYTES bytes of the file, from byte OFFSET on, the first being 0; without BYTES, all from there on. Nothing else of it is read or copied, and no format is recognised in there. One that ends behind the file is refused.
    range: str  # Only COUNT elements of the inputs, which are files and one list, from number FIRST on; the first is 0. Without COUNT, all from there on. One that ends behind the inputs is refused. Of sorted files it goes with -m.
    part: str  # With -m: only part I of N equal parts of the output, from 1/N to N/N.
    find: Union[float, str]  # Prints where VALUE is in a sorted file, or all from one to another as LO..HI; with -o writes these elements of sorted files.
    raw: bool  # No format is recognised: the bytes of .zst and .npy files, of text, gzip and others are sorted as they are, and written so, whatever the output's name; --zstd packs it.
    strict: bool  # Where neither -t nor -R nor a name nor a format says what elements are, gsort ends with exit status 2, also for an empty file, instead of taking them for u64. Scripts and cron jobs should give it.


class WhatToWrite(TypedDict, total=False):
    into: Path  # With -m: what is merged, a part or all, is written at its place in FILE, which has room for all parts. The first job makes FILE; what others wrote there stays.
    split: int  # N files of equally many elements, but for one, are written instead of one; -o is a pattern for their names, as out.%03d.
    split_at: Union[Union[float, str], Sequence[Union[float, str]]]  # The same by values, of records by the first key: a file up to each, and one for the rest.
    unique: bool  # Of elements with equal keys only one is written: the first, if --keep says nothing else. With -c they are disorder, too.
    count: bool  # With -u: behind each element stands how many had its key, a u64, little endian.
    keep: str  # With -u: of each group of equal keys the first (default) or the last is written; or only what is alone (singles); or the first of those that are several (dups), or all of these (repeated).
    group: int  # With -u: records are equal if the first N of their keys are. All keys make the order, in which first and last are meant. It goes with -c -u, too.
    sum: Union[str, Sequence[str]]  # With -u: in the record that is written this field is its sum over the group (folds). With :wide the field stays as it is, and the sum stands behind the record in a wider field. The option may be repeated.
    min: Union[str, Sequence[str]]  # The same with the minimum.
    max: Union[str, Sequence[str]]  # The same with the maximum.
    out: Union[str, Sequence[str]]  # Writes only these bytes of each record, in this order; of .npy files also fields by NAME. What nobody needs is dropped as it is read.
    out_order: str  # The same numbers are written little or big endian, whatever they were. Of records each field would need it: they are refused.
    values: Union[str, Sequence[str]]  # Moves the elements of another file, of BYTES bytes, along with the keys, one with each, and writes them to OUT; repeatable, up to 16 times.
    argsort: Union[bool, str]  # Writes positions in place of elements, as u64 (default) or u32.
    top: Union[int, str]  # Only the first K elements are written, in order. With -r they are the largest.
    zstd: Union[bool, int]  # The output is packed by zstd, at level 1 (default) to 19. It is packed anyway if its name ends in .zst.
    verify: str  # stream (default) verifies what goes to the output. read also reads the file back from the disk before it takes its place.


class MemoryAndDisk(TypedDict, total=False):
    memory: Union[int, str]  # The ceiling for the whole process; also a percentage of what there is. The default is half of what the machine, the control group and the rlimit allow; more than all of that is not taken.
    temporary_directory: Union[Path, Sequence[Path]]  # Runs are spilled here. The option may be repeated: several directories are used together, the faster ones more, full ones not. The default is the output's directory; for standard output it is $TMPDIR or /tmp.
    temp: Union[Path, Sequence[Path]]  # Runs are spilled here. The option may be repeated: several directories are used together, the faster ones more, full ones not. The default is the output's directory; for standard output it is $TMPDIR or /tmp.
    resume: Path  # What is done is kept in DIR until all is, so that the same command goes on after a kill or a power cut.
    compress: str  # How spilled runs are stored. none: as they are. deltas: numbers as differences, in few bits; records by zstd. zstd or zstd:LEVEL: packed by zstd at level 1 (default) to 19, numbers as byte planes of differences, records as byte planes where that is smaller. auto (default) measures disk and codec, and chooses run by run between none and deltas, of records and on a GPU zstd.
    spill: str  # auto (default) keeps in memory what fits. always keeps nothing there.


class Device(TypedDict, total=False):
    device: str  # cpu, cuda or cuda:N for the GPU of number N; cuda:0,2 or cuda:all for several as one, whose memory is added up: those that can read each other's memory, without those with less than half of the largest one's. Where none can, and the first cannot hold all, numbers that --memory holds are sorted by all of them through host memory, which is slower; anything else is sorted by the first (the report says why). auto (default) takes a GPU if there is one and the input has at least 2 GiB, and all GPUs if one cannot hold what is sorted and all can, or if it is an array of at least 32 GiB in pinned memory, for their links add up. Several are taken so that neighbours are behind different PCIe switches; one of them that cannot begin is left out, and the report says so. If the GPU has too little memory, the work is done in smaller pieces, then on the CPU. Where a GPU is there and the CPU is taken, --explain says why, and about how long that takes.
    device_memory: Union[int, str]  # At most SIZE of the GPU's memory is taken, of several GPUs of each one's. The default is 95 % of what is free.
    device_model: Union[Path, Sequence[Path]]  # With --explain: the plan is for the GPUs that FILE describes, and has the time that they would take. None has to be here.


class Reports(TypedDict, total=False):
    stats_of: Union[str, Sequence[str]]  # Minimum, maximum and sum of this field of the record are reported. The option may be repeated. The default is the first key that is a number.
    quantiles: Union[Union[float, str], Sequence[Union[float, str]]]  # Exact quantiles are reported: P is a decimal from 0 to 1, or median; 64 at most.
    histogram: int  # How many values are in each of N bins of equal width is reported, exactly; 1024 at most.
    distinct: bool  # The report says how many values differ.
    mode: bool  # The report has the most frequent value, and how often it is there.
    variance: bool  # The report has mean, variance and standard deviation, from exact sums.


class Tuning(TypedDict, total=False):
    parallel: int  # N threads sort and merge. The default is all processors, as affinity and the control group's quota allow.
    threads: int  # N threads sort and merge. The default is all processors, as affinity and the control group's quota allow.
    batch_size: int  # At most N spilled runs are merged at once.
    io: str  # The I/O engine: uring, threads, or auto (default), which takes io_uring where the system allows it.
    chunk: Union[int, str]  # SIZE bytes are sorted in one piece. The default follows from the memory.
    window: Union[int, str]  # SIZE bytes are merged in one piece, 1G at most. The default follows from the memory.
    tune: str  # How a GPU (--device=cuda) merges two runs: by tiles, merge=tiles (default), or by circular buffers in shared memory, merge=circular, for which it has to have compute capability 9.0. Merges of more runs at once go by tiles. The report says how many merges were circular. Tiles are faster on an H100; gsort-bench kernels compares them.
