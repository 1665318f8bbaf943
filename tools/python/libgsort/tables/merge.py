"""Merges runs, window by window.

Some batches of each run are in memory. Rows that are still in the file of a run sort after the last row of that run in memory. The
first of these last rows therefore ends the window: all rows up to it can be sorted now. They are sorted stably, as a group is, with the
runs in the order in which they were made. Runs without rows in the window are skipped.

    run 0   a c d d | ..          last rows: d, e, b. The first one is b, of run 2: the window is a a b b.
    run 1   b c e   | ..
    run 2   a b     | ..          rows after | are still in the file
"""
from __future__ import annotations

from collections import deque

import numpy as np
import pyarrow as pa

from .run import taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Deque, Iterator, List

    from .order import Order


class Front:
    """The rows of a run that are in memory and not yet merged.

    row_bytes: memory per row for sorting; `bytes` includes it. After take(), `bytes` is an estimate as if all rows had the same size,
        because measuring slices is slow
    """

    def __init__(self, run: Iterator[Any], row_bytes: int) -> None:
        self.run, self.row_bytes, self.bytes, self.rows, self.is_ended = run, row_bytes, 0, 0, False
        self.batches: Deque[Any] = deque()

    def fill(self, want_bytes: int) -> None:
        while not self.is_ended and self.bytes < want_bytes:
            batch = next(self.run, None)
            if batch is None:
                self.is_ended = True
            else:
                self.batches.append(batch)
                self.bytes, self.rows = self.bytes + batch.nbytes + batch.num_rows * self.row_bytes, self.rows + batch.num_rows

    def take(self, rows: int) -> List[Any]:
        """Removes the first rows, and returns them as batches."""
        found = []
        self.bytes -= self.bytes * rows // self.rows
        self.rows -= rows
        while rows > 0:
            batch = self.batches.popleft()
            if batch.num_rows > rows:
                self.batches.appendleft(batch.slice(rows))
                batch = batch.slice(0, rows)
            found.append(batch)
            rows -= batch.num_rows
        return found


def merged(runs: List[Iterator[Any]], order: Order, front_bytes: int, row_bytes: int, batch_bytes: int) -> Iterator[Any]:
    """Yields sorted batches of at most `batch_bytes`.

    front_bytes: how much of each run to hold in memory; one more batch of it may be added
    """
    fronts = [Front(run, row_bytes) for run in runs]
    while True:
        for front in fronts:
            front.fill(front_bytes)
        fronts = [front for front in fronts if front.rows > 0]
        if not fronts:
            return
        yield from _window(_decided(fronts, order), order, batch_bytes)


def _ranks(places: Any) -> Any:
    ranks = np.empty(len(places), np.int64)
    ranks[places] = np.arange(len(places))
    return ranks


def _decided(fronts: List[Front], order: Order) -> List[Front]:
    """Returns the fronts that have a row in the window. Compares the first and the last row of each front."""
    is_open = np.array([not front.is_ended for front in fronts])
    if len(fronts) == 1 or not is_open.any():
        return fronts
    ends = [order.key_columns(batch) for front in fronts
            for batch in (front.batches[0].slice(0, 1), front.batches[-1].slice(front.batches[-1].num_rows - 1))]
    ranks = _ranks(order.places(pa.Table.from_batches(ends))).reshape(-1, 2)
    cut = ranks[is_open, 1].min()
    return [front for front, first in zip(fronts, ranks[:, 0]) if first <= cut]


def _window(fronts: List[Front], order: Order, batch_bytes: int) -> Iterator[Any]:
    if len(fronts) == 1:
        yield from fronts[0].take(fronts[0].rows)
        return
    counts = np.array([front.rows for front in fronts])
    ends = np.cumsum(counts)
    keys = pa.Table.from_batches([order.key_columns(batch) for front in fronts for batch in front.batches])
    places = order.places(keys).view(np.int64)
    del keys
    lasts = [end - 1 for front, end in zip(fronts, ends) if not front.is_ended]
    if lasts:
        is_last = np.zeros(len(places), bool)
        is_last[lasts] = True
        places = places[:is_last[places].argmax() + 1]
    run_of = np.searchsorted(ends, places, side='right')
    begins, counts = ends - counts, np.bincount(run_of, minlength=len(fronts))
    places -= (begins - (np.cumsum(counts) - counts))[run_of]  # positions among the rows of the window only
    table = pa.Table.from_batches([batch for front, rows in zip(fronts, counts.tolist()) for batch in front.take(rows)]).combine_chunks()
    yield from taken(table, places, batch_bytes)
