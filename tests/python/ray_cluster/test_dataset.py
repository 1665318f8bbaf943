"""Sorts Datasets of Ray in blocks of any size. The rows are those of sort_table."""
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import ray

import libgsort as gs
import libgsort.ray as gr


def table_of(rows, most, seed=1):
    rng = np.random.default_rng(seed)
    price = pa.array(rng.integers(0, most, rows).astype('f8'), mask=rng.random(rows) < 0.1)
    return pa.table({'price': price, 'sym': pa.array([f'name {i % 7}' if i % 5 else None for i in range(rows)]),
                     'tags': pa.array([[str(i)] * (i % 3) for i in range(rows)]), 'row': pa.array(np.arange(rows))})


@pytest.mark.parametrize('rows,blocks,most,parts', [(30_000, 4, 5, 3), (30_000, 3, 1, 4), (5_000, 3, 4000, 1), (3, 2, 9, 4)])
def test_sort__of_a_dataset__is_the_order_of_the_table(cluster, rows, blocks, most, parts):
    table = table_of(rows, most)
    bounds = [rows * i // blocks for i in range(blocks + 1)]
    data = ray.data.from_arrow([table.slice(begin, end - begin) for begin, end in zip(bounds, bounds[1:])])
    for keys, nulls, turned in ((['-price', 'sym'], 'first', False), ('price', 'last', True), (['price', 'sym'], 'last', [True, False])):
        made = gr.sort(data, keys, descending=turned, parts=parts, nulls_last=nulls == 'last', memory='64M')
        tables = ray.get(made.to_arrow_refs())
        assert pa.concat_tables(tables).equals(pa.table(gs.sort_table(table, keys, descending=turned, nulls=nulls)))
        assert len(tables) == parts and max(part.num_rows for part in tables) <= rows / parts * 1.05 + 4


def refused_at_once(error, said, data, *arguments, **options):
    """Before a task is started, whose failure Ray would print, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray, 'remote', lambda *_, **__: pytest.fail('a task is started'))
        with pytest.raises(error, match=said):
            gr.sort(data, *arguments, **options)


def test_sort__of_a_dataset__of_large_blocks_and_faults_as_of_sort_table(cluster, tmp_path):
    data = ray.data.range(3_000_000, override_num_blocks=2).map_batches(lambda rows: {'x': rows['id'] * 7919 % 3_000_017})
    made = gr.sort(data, 'x', memory='32M', temp=str(tmp_path))
    found = np.concatenate([part['x'].to_numpy() for part in ray.get(made.to_arrow_refs())])
    assert (np.sort(np.arange(3_000_000) * 7919 % 3_000_017) == found).all()
    with pytest.raises(gs.FileError, match='none.: cannot use as temporary directory'):
        gr.sort(data, 'x', memory='32M', temp=str(tmp_path / 'none'))
    with pytest.raises(ValueError, match="'y' is not a column of the table; it has x"):
        gr.sort(data, 'y')
    for known in ray.data.from_arrow(pa.table({'a': [1], 'l': [[1]]})), ray.data.from_pandas(pd.DataFrame({'a': [1], 'l': [2]})):
        for wrong, said in (({'keys': 'b'}, "'b' is not a column of the table; it has a, l"), ({'nulls': 'begin'}, "neither 'first' nor 'last'"), ({'memory': 'much'}, 'not a size')):
            refused_at_once(ValueError, said, known, **{'keys': 'a', **wrong})
        refused_at_once(gs.OutOfMemoryError, 'give at least 32M', known, 'a', memory='1M')
    refused_at_once(TypeError, "'l' cannot be a key", ray.data.from_arrow(pa.table({'l': [[1]]})), 'l')
    few = ray.data.range(3000, override_num_blocks=2)
    assert gr.sort(few.filter(lambda row: False), 'id').count() == 0
    assert [row['id'] for row in gr.sort(few.filter(lambda row: row['id'] in (5, 79)), '-id').take_all()] == [79, 5]  # and blocks without rows


def test_sort__keys_that_are_read_once__are_a_list_for_each_task(monkeypatch):
    seen = []
    monkeypatch.setattr('libgsort.ray.dataset.sort', lambda *given: seen.append(given[-1]))

    class Dataset:
        to_arrow_refs = None
    gr.sort(Dataset(), iter(['-x', 'y']))
    assert seen == [((['-x', 'y'], False), 'last', '1G', None)]
