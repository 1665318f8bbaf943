"""Sorts a Dataset of Ray by any keys of libgsort.sort_table.

Blocks are Arrow tables and pass through Ray's object store, as in Ray's own sort. A task spills to
its node's disk what does not fit into its memory.

    block 0 ─ sort ─ cut at rows of samples ─┬─> part 0: slices in block order ─ sort ─> block 0
    block 1 ─ sort ─ cut ────────────────────┼─> part 1 ..                               block 1

A cut is a row of a block. A row with equal keys is before the cut if it is before that row, or in
an earlier block. So parts are nearly equal for any keys, and rows with equal keys keep their order.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import pyarrow as pa

import ray

from ..errors import VerifyError
from ..keywords import Descending
from ..tables.convert import Converters
from ..tables.order import Order, keys_of
from ..tables.sort import TableSorter, memory_of
from .crew import get_all

SAMPLES = 256  # per block

SortedBy = Tuple[List[str], Descending]  # keys, and whether they descend
How = Tuple[SortedBy, str, Union[int, str], Optional[str]]  # keys, nulls, memory, temp


def _of_keys(table: Any, keys: SortedBy) -> Any:
    """Returns a table with only those columns that are keys."""
    return table.select(sorted({key.column for key in keys_of(table.schema, *keys)}))


def _places(tables: Sequence[Any], how: How) -> Any:
    """Returns the positions of all rows in sorted order. tables: key columns; positions count
    through all tables"""
    keys, nulls, memory, temp = how
    schema, most = tables[0].schema, memory_of(memory)
    converters = Converters(schema, most // 16)
    table = pa.Table.from_batches([converters.convert(batch) for table in tables
                                   for batch in table.to_batches()], converters.converted)
    order = Order(converters, keys_of(schema, *keys), nulls == 'first',
                  {'memory': max(most // 4, 16 << 20), 'temp': temp})
    return order.places(table.combine_chunks().to_batches()[0]).astype(np.int64)


def _sorted(tables: Sequence[Any], how: How) -> Any:
    keys, nulls, memory, temp = how
    sorter = TableSorter(tables[0].schema, keys[0], nulls, memory_of(memory), temp,
                         descending=keys[1])
    for table in tables:
        for batch in table.to_batches():
            sorter.push(batch)
    return pa.Table.from_batches(sorter.batches(), sorter.schema)


def sort_block(block: Any, how: How) -> Tuple[Any, Any]:
    """Returns the sorted block, and (its number of rows, keys of sampled rows, positions of these
    rows).

    The block is None if it has no rows, because then it may lack its columns.
    """
    if block.num_rows == 0:
        return None, (0, None, None)
    table = _sorted([block], how)
    places = np.unique(np.linspace(0, table.num_rows, SAMPLES + 2, dtype=np.int64)[1:-1])
    return table, (table.num_rows, _of_keys(table, how[0]).take(pa.array(places)), places)


def cut_block(table: Any, number: int, cuts: Any, blocks: Any, places: Any, how: How) -> List[Any]:
    """Returns the slices of a sorted block, one per part. cuts: keys of the rows at `places` of
    `blocks`, in order"""
    keys = _of_keys(table, how[0])
    # cuts that are before this block's rows with equal keys, and after them
    earlier, later = blocks < number, blocks > number
    before, behind = int(earlier.sum()), int(later.sum())
    parts = [cuts.filter(pa.array(earlier)), keys, cuts.filter(pa.array(later))]
    order = _places(parts, how)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    is_row = np.zeros(len(order) + 1, np.int64)  # how many rows of the block are before each rank
    is_row[1:] = np.cumsum((order >= before) & (order < before + table.num_rows))
    ends = np.empty(len(blocks), np.int64)
    ends[earlier] = is_row[ranks[:before]]
    ends[later] = is_row[ranks[len(order) - behind:]]
    ends[blocks == number] = places[blocks == number]
    bounds = [0, *ends.tolist(), table.num_rows]
    return [table.slice(begin, end - begin) for begin, end in zip(bounds, bounds[1:])]


def merge_slices(how: How, *slices: Any) -> Tuple[Any, int]:
    table = _sorted(slices, how)
    return table, table.num_rows


def _cuts(told: Sequence[Tuple[int, Any, Any]], parts: int, how: How) -> Tuple[Any, Any, Any]:
    """Returns the rows at which all parts except the first begin: their keys, blocks and
    positions."""
    keys = pa.concat_tables([sample for _, sample, _ in told])
    blocks = np.repeat(np.arange(len(told)), [len(places) for _, _, places in told])
    places = np.concatenate([places for _, _, places in told])
    weights = np.concatenate([np.diff(places, prepend=0) for _, _, places in told])
    order = _places([keys], how)
    ends = np.cumsum(weights[order])
    total = sum(rows for rows, _, _ in told)
    chosen = order[np.minimum(np.searchsorted(ends, [total * i // parts for i in range(1, parts)]),
                              len(order) - 1)]
    return keys.take(pa.array(chosen)), blocks[chosen], places[chosen]


def _refuse(dataset: Any, how: How) -> None:
    """Raises the error that every task would raise for these arguments, if the schema is known
    before a task runs."""
    keys, nulls, memory, temp = how
    told = dataset.schema(fetch_if_missing=False)
    schema, names = getattr(told, 'base_schema', None), list(told.names) if told is not None else []
    if not isinstance(schema, pa.Schema):  # blocks of pandas, or the schema is not known yet
        schema = pa.schema([(name, pa.null()) for name in names or ['']])
    TableSorter(schema, keys[0] if names else None, nulls, memory_of(memory), temp,
                descending=keys[1] if names else False)


def sort(dataset: Any, parts: int, threads: int, how: How) -> Any:
    _refuse(dataset, how)
    blocks = dataset.to_arrow_refs()
    where: Dict[str, Any] = {'num_cpus': threads, 'scheduling_strategy': 'SPREAD'}

    def task(function: Any, name: str, returns: int) -> Any:
        return ray.remote(function).options(**where, name=f'gsort {name}', num_returns=returns)
    try:
        made = [task(sort_block, 'sort block', 2).remote(block, how) for block in blocks]
        found = [(table, about)
                 for (table, _), about in zip(made, get_all([about for _, about in made]))
                 if about[0] > 0]
        if not found:
            return dataset
        tables, counts = zip(*found)
        total, parts = sum(rows for rows, _, _ in counts), parts or len(tables)
        slices = [[table] for table in tables]
        if parts > 1:
            cuts = _cuts(counts, parts, how)
            slices = [task(cut_block, 'cut block', parts).remote(table, i, *cuts, how)
                      for i, table in enumerate(tables)]
        merged, rows = zip(*(task(merge_slices, 'merge slices', 2).remote(how, *part)
                             for part in zip(*slices)))
        count = sum(get_all(rows))
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Exception) else error) from None
    if count != total:
        raise VerifyError(f'{total} rows were sorted, but {count} were written')
    return ray.data.from_arrow_refs(list(merged))
