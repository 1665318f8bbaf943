"""Exact cuts of many sorted files at ranks of their common order: by key, then by file, then by place.

A cut says how many elements of each file are before a rank. It is known within a bracket first, by every s-th element that
the handles hold, then for every s/16-th element within that, and so on to all of them (Varman et al. 1991, as `gsort --part`
does by halves). Each level asks each file for some 40 elements a cut. Nothing here compares: elements are
put in order by gsort (Order.argsort), which is stable, so equal keys are cut by file and place.

Of k files with brackets that begin with L elements in all, let x be the j-th of the s-th elements in order. At least L + j s and
at most L + j s + (k - 1)(s - 1) elements are up to x. So those up to the largest x for which that most is not above
the rank are before the cut, and all behind the first x for which that least is above the rank are not.
"""
from __future__ import annotations

from typing import Callable, List, Sequence, Tuple, Union

import numpy as np

from .order import Order, Places

FAN = 16
# What a round asks: for each file the places of elements; and is told: these elements, one after the other, for each file.
Probe = Callable[[List[Tuple[int, Places]]], List[bytes]]
# A cut is at a rank, or before all elements that are not below this one.
Target = Union[int, bytes]


def step_of(count: int, element_bytes: int) -> int:
    """Every how manyth element a handle of a file holds: a power of two, so that they are some KB."""
    most = max(16, min(1024, (1 << 15) // element_bytes))
    step = 1
    while count // step > most:
        step *= 2
    return step


def part_begin(count: int, number: int, parts: int) -> int:
    """As gsort: part I begins where part I - 1 ends."""
    return count * number // parts


def _ends(rank: int, step: int, active: int) -> Tuple[int, int]:
    """How many of the step-th elements of so many files are before the rank for sure, and how many end at or behind it."""
    return max(0, (rank - max(0, active - 1) * (step - 1)) // step), -(-(rank + 1) // step)


def _narrow(step: int, target: Target, order: Order, low: Places, high: Places, counts: Places, probed: bytes) -> Tuple[Places, Places]:
    """One level of a cut: counts says how many elements of each file were probed."""
    files, first = len(counts), target if isinstance(target, bytes) else b''
    places = order.argsort(first + probed).astype(np.int64) if first + probed else np.empty(0, np.int64)
    if isinstance(target, bytes):
        below = above = int(np.flatnonzero(places == 0)[0])
        places = places[places > 0] - 1
    else:
        below, above = _ends(target - int(low.sum()), step, int(np.count_nonzero(high > low)))
    file_of = np.repeat(np.arange(files), counts)[places]
    new_low = low + step * np.bincount(file_of[:below], minlength=files)
    if above <= len(file_of):
        high = np.minimum(high, low + step * np.bincount(file_of[:above], minlength=files) + step - 1)
    if step == 1:
        high = new_low
    return new_low, high


def bracket(order: Order, counts: Places, samples: Sequence[bytes], steps: Sequence[int], ranks: Sequence[int]) -> Tuple[int, Places, Places]:
    """The step, and for each rank and file between which places the cut is: arrays of ranks x files."""
    step, files = max([1, *steps]), len(counts)
    thin, pieces = np.empty(files, np.int64), []
    for i, (sample, own) in enumerate(zip(samples, steps)):
        stride, size = step // own, order.element_bytes
        array = np.frombuffer(sample, f'V{size}')[stride - 1::stride]
        thin[i] = len(array)
        pieces.append(array.tobytes())
    places = order.argsort(b''.join(pieces)) if thin.sum() else np.empty(0, np.uint64)
    file_of = np.repeat(np.arange(files, dtype=np.int32), thin)[places.astype(np.int64)]
    del places, pieces
    active = int(np.count_nonzero(counts))
    low, high = np.zeros((len(ranks), files), np.int64), np.empty((len(ranks), files), np.int64)
    before = [np.zeros(files, np.int64)] * 2  # of the samples up to the lower end, and to the upper end
    seen = [0, 0]
    for i in sorted(range(len(ranks)), key=lambda i: ranks[i]):
        ends = _ends(ranks[i], step, active)
        for side in range(2):
            before[side] = before[side] + np.bincount(file_of[seen[side]:ends[side]], minlength=files)
            seen[side] = min(ends[side], len(file_of))
        low[i] = step * before[0]
        high[i] = counts if ends[1] > len(file_of) else np.minimum(counts, step * before[1] + step - 1)
    if step == 1:
        high = low
    return step, low, high


def refine(order: Order, step: int, targets: Sequence[Target], low: Places, high: Places, probe: Probe) -> Places:
    """The cuts, targets x files, from their brackets; all of them go down a level at a time."""
    low, high = low.copy(), high.copy()
    files = low.shape[1]
    while step > 1:
        step = max(1, step // FAN)
        wanted: List[List[Places]] = []
        for row in range(len(targets)):
            wanted.append([np.arange(low[row, f] + step - 1, high[row, f], step, dtype=np.int64) for f in range(files)])
        asked = [(f, np.concatenate([wanted[row][f] for row in range(len(targets))])) for f in range(files)]
        asked = [(f, places) for f, places in asked if len(places)]
        told = dict(zip((f for f, _ in asked), probe(asked)))
        at, size = dict.fromkeys(told, 0), order.element_bytes
        for row, target in enumerate(targets):
            pieces = []
            for f in range(files):
                length = len(wanted[row][f]) * size
                if length:
                    pieces.append(told[f][at[f]:at[f] + length])
                    at[f] += length
            counts = np.array([len(places) for places in wanted[row]], np.int64)
            low[row], high[row] = _narrow(step, target, order, low[row], high[row], counts, b''.join(pieces))
    for row, target in enumerate(targets):
        if not isinstance(target, bytes) and int(low[row].sum()) != target:
            raise RuntimeError(f'the cut at {target} has {int(low[row].sum())} elements: the files are not sorted')
    return low


def first_behind(order: Order, counts: Places, cut: Places, probe: Probe) -> bytes:
    """The element whose rank the cut is at; none: b''."""
    heads = b''.join(probe([(f, cut[f:f + 1]) for f in range(len(counts)) if cut[f] < counts[f]]))
    at = int(order.argsort(heads)[0]) * order.element_bytes if heads else 0
    return heads[at:at + order.element_bytes]


def to_groups(order: Order, counts: Places, cuts: Places, probe: Probe) -> Places:
    """Cuts moved to the first element of the group that they are in; order: that of the keys of groups."""
    heads = [first_behind(order, counts, cut, probe) for cut in cuts]
    inner = [row for row, head in enumerate(heads) if head]
    step, moved = 1, cuts.copy()
    while step <= cuts.max(initial=0):
        step *= FAN
    if inner:
        moved[inner] = refine(order, step, [heads[row] for row in inner], np.zeros_like(cuts[inner]), cuts[inner], probe)
    return moved
