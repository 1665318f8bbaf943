"""Describes the order of elements, and cuts many sorted files exactly at ranks of it: by key, then
by file, then by position.

A cut says how many elements of each file are before a rank. First, every s-th element of each file
limits it to a bracket in each file. Then every s/16-th element within the brackets narrows them,
and so on down to every element (Varman et al. 1991). `gsort --part` does the same by halves. Each
level reads about 40 elements of each file per cut. No code here compares elements: gsort sorts them
(Order.argsort). Its order is stable, so equal keys are cut by file and position.

Example: k files have brackets that begin after L elements in all. Let x be the j-th of all s-th
elements, in order. At least L + j s and at most L + j s + (k - 1)(s - 1) elements are not after x.
The last x for which the maximum is not above the rank is before the cut, with all elements up to
it. No element after the first x for which the minimum is above the rank is before the cut.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, List, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

import libgsort as gs

from ..layout import layout_of

FAN = 16
Places = npt.NDArray[np.int64]
# Reads elements of files. Takes (number of the file, positions) for some files, and returns the
# bytes of these elements for each one.
Probe = Callable[[List[Tuple[int, Places]]], List[bytes]]
# The place of a cut: a rank, or an element, before which all smaller elements are.
Target = Union[int, bytes]


@dataclass(frozen=True)
class Order:
    """The elements and their order. type: of numbers, or 'record'; keys: 'OFF:TYPE[:desc]' of
    records"""

    type: str
    element_bytes: int
    keys: Tuple[str, ...]
    reverse: bool

    @classmethod
    def of_report(cls, report: Any, dtype: Any = None) -> Order:
        """Returns the order of the elements in a report of gsort. dtype: of .npy files, whose keys
        are names of fields"""
        type_, keys = report['type'], tuple(report.get('keys') or ())
        if dtype is not None and type_ == 'record':
            keys = tuple(layout_of(dtype, keys).key)
        return cls(type_, report['element_bytes'], keys, report['reverse'])

    @property
    def options(self) -> Tuple[str, ...]:
        """The options of gsort for plain data. With --raw, the names of files have no effect."""
        if self.type != 'record':
            kind: Tuple[str, ...] = ('-t', self.type)
        else:
            kind = ('-R', str(self.element_bytes),
                    *(word for key in self.keys for word in ('-k', key)))
        return (*kind, '--raw', *(('-r',) if self.reverse else ()))

    def of_groups(self, keys: int) -> Order:
        """Returns the order by only the first `keys` keys, which define groups. 0: by all keys"""
        return replace(self, keys=self.keys[:keys] if keys else self.keys)

    @property
    def falls(self) -> bool:
        return self.reverse != (bool(self.keys) and self.keys[0].endswith(':desc'))

    def argsort(self, elements: bytes) -> npt.NDArray[np.intp]:
        """Returns the positions of elements in sorted order: by key, then by position."""
        keys = self.keys if self.type == 'record' else (f'0:{self.type}',)
        return gs.argsort(np.frombuffer(elements, f'V{self.element_bytes}'), by=keys or None,
                          reverse=self.reverse, device='cpu', memory='1G')


def part_begin(count: int, number: int, parts: int) -> int:
    """Returns the rank at which part `number` ends and the next one begins, as `gsort --part`
    computes it. Parts are numbered from 1."""
    return count * number // parts


def _ends(rank: int, step: int, active: int) -> Tuple[int, int]:
    """Returns two counts of the step-th elements of `active` files, in order.

    The elements of the first count are all before the rank. The last element of the second count is
    at or after the rank.
    """
    return max(0, (rank - max(0, active - 1) * (step - 1)) // step), -(-(rank + 1) // step)


def _narrow(step: int, target: Target, order: Order, low: Places, high: Places, counts: Places,
            probed: bytes) -> Tuple[Places, Places]:
    """Returns `low` and `high` of a cut after one level. counts: how many elements of each file are
    in `probed`."""
    files, first = len(counts), target if isinstance(target, bytes) else b''
    places = (order.argsort(first + probed).astype(np.int64) if first + probed
              else np.empty(0, np.int64))
    if isinstance(target, bytes):
        below = above = int(np.flatnonzero(places == 0)[0])
        places = places[places > 0] - 1
    else:
        below, above = _ends(target - int(low.sum()), step, int(np.count_nonzero(high > low)))
    file_of = np.repeat(np.arange(files), counts)[places]
    new_low = low + step * np.bincount(file_of[:below], minlength=files)
    if above <= len(file_of):
        high = np.minimum(high, low + step * np.bincount(file_of[:above], minlength=files) + step
                          - 1)
    if step == 1:
        high = new_low
    return new_low, high


def find(order: Order, targets: Sequence[Target], high: Places, probe: Probe) -> Places:
    """Returns the exact cuts, an array of targets x files, which are at most `high`. All cuts are
    narrowed by one level at a time.

    Raises a RuntimeError if the files are not sorted.
    """
    low, high, step = np.zeros_like(high), high.copy(), 1
    files = low.shape[1]
    while step <= high.max(initial=0):
        step *= FAN
    while step > 1:
        step //= FAN
        wanted: List[List[Places]] = []
        for row in range(len(targets)):
            wanted.append([np.arange(low[row, f] + step - 1, high[row, f], step, dtype=np.int64)
                           for f in range(files)])
        # cuts ask for the same elements on the first levels
        asked = [(f, np.unique(np.concatenate([row[f] for row in wanted]))) for f in range(files)]
        asked = [(f, places) for f, places in asked if len(places)]
        told = {f: (places, np.frombuffer(found, f'V{order.element_bytes}'))
                for (f, places), found in zip(asked, probe(asked))}
        for row, target in enumerate(targets):
            pieces = []
            for f, (places, elements) in told.items():
                pieces.append(elements[np.searchsorted(places, wanted[row][f])].tobytes())
            counts = np.array([len(places) for places in wanted[row]], np.int64)
            low[row], high[row] = _narrow(step, target, order, low[row], high[row], counts,
                                          b''.join(pieces))
    for row, target in enumerate(targets):
        if not isinstance(target, bytes) and int(low[row].sum()) != target:
            raise RuntimeError(f'the cut at {target} has {int(low[row].sum())} elements: the files '
                               f'are not sorted')
    return low


def first_behind(order: Order, counts: Places, cut: Places, probe: Probe) -> bytes:
    """Returns the first element after a cut, or b'' if there is none."""
    heads = b''.join(probe([(f, cut[f:f + 1]) for f in range(len(counts)) if cut[f] < counts[f]]))
    at = int(order.argsort(heads)[0]) * order.element_bytes if heads else 0
    return heads[at:at + order.element_bytes]


def to_groups(order: Order, counts: Places, cuts: Places, probe: Probe) -> Places:
    """Returns the cuts, moved back to the first element of their groups. order: compares only the
    keys of groups"""
    heads = [first_behind(order, counts, cut, probe) for cut in cuts]
    inner = [row for row, head in enumerate(heads) if head]
    moved = cuts.copy()
    if inner:
        moved[inner] = find(order, [heads[row] for row in inner], cuts[inner], probe)
    return moved
