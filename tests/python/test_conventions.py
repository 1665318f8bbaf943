"""Compares calls with those of NumPy, pandas and Polars: words for keys and directions, kinds of results, names for completion."""
import logging
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import libgsort as gs

PAIRS = np.array([(1, 2.0), (2, 1.0), (1, 3.0)], [('i', '<i4'), ('x', '<f8')])
TABLE = pa.table({'i': [1, 2, 1], 'x': [2.0, 1.0, 3.0]})
WORDS = ['by', 'order', 'key', 'keys']


def pushed(**options):
    with gs.Sorter(PAIRS.dtype, **options) as s:
        s.push(PAIRS)
        return np.concatenate(list(s))['x'].tolist()


def in_place(**options):
    a = PAIRS.copy()
    gs.sort(a, **options)
    return a['x'].tolist()


def in_files(tmp_path):
    def sort(**options):
        PAIRS.tofile(tmp_path / 'in')
        gs.sort_file(tmp_path / 'in', tmp_path / 'out', dtype=PAIRS.dtype, **options)
        assert gs.is_sorted(tmp_path / 'out', dtype=PAIRS.dtype, **options)
        return np.fromfile(tmp_path / 'out', PAIRS.dtype)['x'].tolist()
    return sort


def parquet(tmp_path):
    def sort(**options):
        pq.write_table(TABLE, tmp_path / 'in.parquet')
        gs.sort_parquet(tmp_path / 'in.parquet', tmp_path / 'out.parquet', **options)
        return pq.read_table(tmp_path / 'out.parquet')['x'].to_pylist()
    return sort


@pytest.mark.parametrize('word', WORDS)
def test_keys__have_one_word_and_its_aliases(tmp_path, word):
    calls = [pushed, in_place, in_files(tmp_path), parquet(tmp_path), lambda **options: gs.sorted(PAIRS, **options)['x'].tolist(),
             lambda **options: PAIRS[gs.argsort(PAIRS, **options)]['x'].tolist(), lambda **options: gs.top(PAIRS, 3, **options)['x'].tolist(),
             lambda **options: gs.sort_table(TABLE, **options).read_all()['x'].to_pylist()]
    for call in calls:
        assert call(**{word: ['i', '-x']}) == [3, 2, 1]
        assert call(**{word: 'x'}, descending=True) == [3, 2, 1] == call(**{word: '-x'}, descending=False)
        for other in set(WORDS) - {word}:
            with pytest.raises(TypeError, match='have the same meaning; give only one of them'):
                call(**{word: 'i', other: 'i'})


def test_descending__is_reverse():
    a = np.array([2.0, 1, 3])
    assert gs.sorted(a, descending=True).tolist() == gs.sorted(a, reverse=True).tolist() == [3, 2, 1]
    with pytest.raises(TypeError, match='descending and reverse have the same meaning'):
        gs.sort(a, descending=True, reverse=True)
    with pytest.raises(TypeError, match="descending: is True or False here; '-name' sorts one field"):
        gs.sort(PAIRS.copy(), by=['i', 'x'], descending=[True, False])


def test_descending__of_a_table__may_be_of_each_key():
    def found(by, descending):
        return gs.sort_table(TABLE, by, descending=descending).read_all()['x'].to_pylist()
    assert found(['i', 'x'], [True, False]) == [1, 2, 3] and found(['i', 'x'], [False, True]) == [3, 2, 1] == found(['i', '-x'], [False, False])
    assert found(None, True) == [1, 3, 2]
    with pytest.raises(ValueError, match='descending: has 1 values for 2 keys'):
        found(['i', 'x'], [True])


def test_largest__turns_the_order():
    a = np.array([2.0, 1, 3])
    assert gs.top(a, 2).tolist() == [1, 2] and gs.top(a, 2, largest=True).tolist() == gs.top(a, 2, descending=True).tolist() == [3, 2]


@pytest.mark.parametrize('nulls_last, want', [(True, [1, 2, None]), (False, [None, 1, 2]), (None, [1, 2, None])])
def test_nulls_last__of_tables_and_columns(tmp_path, nulls_last, want):
    column = pa.array([2, None, 1])
    table = pa.table({'x': column})
    assert gs.sorted(column, nulls_last=nulls_last).to_pylist() == want
    assert gs.sort_table(table, 'x', nulls_last=nulls_last).read_all()['x'].to_pylist() == want
    with gs.Sorter(by='x', nulls_last=nulls_last) as s:
        s.push(table)
        assert pa.table(s)['x'].to_pylist() == want
    pq.write_table(table, tmp_path / 'x')
    gs.sort_parquet(tmp_path / 'x', tmp_path / 'y', 'x', nulls_last=nulls_last)
    assert pq.read_table(tmp_path / 'y')['x'].to_pylist() == want
    with pytest.raises(TypeError, match='nulls and nulls_last have the same meaning'):
        gs.sort_table(table, 'x', nulls='first', nulls_last=True)


@pytest.mark.parametrize('words', [{}, {'kind': 'quicksort'}, {'kind': 'stable', 'axis': -1}, {'stable': True}, {'stable': False, 'axis': None, 'kind': None}])
def test_words_of_numpy__that_change_nothing__are_accepted(words):
    a = np.array([2.0, 1, 3])
    assert gs.sorted(a, **words).tolist() == np.sort(a, **words).tolist() and gs.argsort(a, **words).tolist() == [1, 0, 2]
    assert gs.sort(a, **words).count == 3 and a.tolist() == [1, 2, 3] and gs.sorted(pl.Series([2, 1]), **words).to_list() == [1, 2]


@pytest.mark.parametrize('words', [{'kind': 'bubble'}, {'axis': 1}, {'stable': 'no'}])
def test_words_of_numpy__that_would_change_something__are_refused(words):
    for call in gs.sort, gs.sorted, gs.argsort:
        with pytest.raises(TypeError, match=rf'^{call.__name__}\(\): {min(words)}: '):
            call(np.zeros(3), **words)


def test_argsort__returns_intp():
    assert gs.argsort(np.array([2.0, 1])).dtype == np.intp
    for dtype in np.intp, np.uint64:
        out = np.empty(2, dtype)
        assert gs.argsort(np.array([2.0, 1]), out=out) is out and out.tolist() == [1, 0]


def test_is_sorted__is_check_as_a_bool(tmp_path):
    np.array([1.0, 2]).tofile(tmp_path / 'x.f64')
    assert gs.is_sorted(tmp_path / 'x.f64') is True and gs.is_sorted(tmp_path / 'x.f64', descending=True) is False
    assert gs.is_sorted(np.array([1, 1])) and not gs.is_sorted(np.array([2, 1])) and not gs.is_sorted(PAIRS, by='i')
    with pytest.raises(gs.FileError):
        gs.is_sorted(tmp_path / 'none.f64')


SERIES = [
    pl.Series('s', [3, None, 1], pl.Int16), pl.Series('s', ['b', 'a', None]), pl.Series('s', ['b', 'a', 'b'], pl.Categorical),
    pl.Series('s', ['b', 'a', 'b'], pl.Enum(['b', 'a'])), pl.Series('s', [2, 1], pl.Datetime('us', 'Europe/Berlin')), pl.Series('s', [], pl.Float32),
    pl.Series('s', [True, False]), pd.Series([3, 1, 2], name='s'), pd.Series(['b', 'a']), pd.Series([3, None, 1], dtype='Int64', name='s'),
    pd.Series(pd.to_datetime(['2020-01-02', '2020-01-01'])).dt.tz_localize('Europe/Berlin'), pd.Series(['b', 'a', 'b'], dtype='category'),
    pd.Series([1.5, 0.5], dtype='float32', index=['x', 'y'], name='s'), pd.Series([2, 1], dtype=pd.ArrowDtype(pa.int32()))]


@pytest.mark.parametrize('column', SERIES, ids=lambda column: f'{type(column).__module__.partition(".")[0]}-{column.dtype}')
def test_series__comes_back_as_a_series(column):
    for found in gs.sorted(column), gs.sort_table(column):
        assert type(found) is type(column) and found.dtype == column.dtype and found.name == column.name
        if isinstance(column, pl.Series):
            assert found.equals(column.sort(nulls_last=True))
        else:
            want = column.sort_values()
            assert found.equals(want if isinstance(column.index[0], str) else want.reset_index(drop=True))


@pytest.mark.parametrize('column', [
    pl.Series('s', [3, 2, 1], pl.Int16), pl.Series('s', [2, 1], pl.Datetime('us', 'Europe/Berlin')), pl.Series('s', [2, 1], pl.Date),
    pl.Series('s', [2, 1], pl.Time), pd.Series([3, 1, 2], name='s', dtype='uint8'), pd.Series([2.5, 0.5], dtype='Float32'),
    pd.Series(pd.to_datetime(['2020-01-02', '2020-01-01'])).dt.tz_localize('Europe/Berlin'),
    pd.Series([2, 1], dtype=pd.ArrowDtype(pa.timestamp('us', 'UTC'))), pd.Series([2, 1], dtype=pd.ArrowDtype(pa.int32()))],
    ids=lambda column: f'{type(column).__module__.partition(".")[0]}-{column.dtype}')
def test_top__of_a_series__is_a_series(column):
    found = gs.top(column, 2, largest=True)
    want = column.sort(descending=True).head(2) if isinstance(column, pl.Series) else column.sort_values(ascending=False).head(2).reset_index(drop=True)
    assert type(found) is type(column) and found.dtype == column.dtype and found.equals(want) and found.name == column.name


def test_frames__come_back_as_frames():
    frame = pl.DataFrame({'x': [2, None, 1], 'c': pl.Series(['q', 'p', None], dtype=pl.Categorical), 'l': [[1], [], None]})
    found = gs.sort_table(frame, 'x')
    assert isinstance(found, pl.DataFrame) and found.schema == frame.schema and found.equals(frame.sort('x', nulls_last=True))
    panda = pd.DataFrame({'x': [2, 3, 1], 'c': pd.Categorical(['q', 'p', 'q']), 's': ['b', None, 'a'], 'o': pd.array([1, None, 2], 'Int8')})
    made = gs.sort_table(panda, 'x')
    assert isinstance(made, pd.DataFrame) and made.equals(panda.sort_values('x').reset_index(drop=True)) and (made.dtypes == panda.dtypes).all()
    labelled = panda.set_index('s')
    assert gs.sort_table(labelled, 'x').equals(labelled.sort_values('x'))
    assert isinstance(gs.sort_table(frame.lazy(), 'x'), pa.RecordBatchReader) and gs.sort_table(frame.head(0), 'x').equals(frame.head(0))
    assert isinstance(gs.sort_table(pa.table(frame), 'x'), pa.RecordBatchReader)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'in').mkdir()
    for i, rows in enumerate(([3, 1], [2], [4])):
        pq.write_table(pa.table({'x': rows, 'file': [str(i)] * len(rows)}), tmp_path / 'in' / f'{i}.parquet')
    return tmp_path


def sources(folder):
    files = [folder / 'in' / f'{i}.parquet' for i in range(3)]
    return {'paths': files, 'pattern': str(folder / 'in' / '*.parquet'), 'url': f'file://{folder}/in/*.parquet', 'urls': [f'file://{file}' for file in files],
            'fsspec': f'local://{folder}/in/*.parquet', 'dataset': ds.dataset(folder / 'in')}


@pytest.mark.parametrize('kind', ['paths', 'pattern', 'url', 'urls', 'fsspec', 'dataset'])
def test_files__are_named_in_many_ways(folder, kind):
    x = sources(folder)[kind]
    assert gs.sort_table(x, 'x').read_all()['x'].to_pylist() == [1, 2, 3, 4]
    assert gs.sort_parquet(x, folder / 'out.parquet', 'x').rows == 4
    assert pq.read_table(folder / 'out.parquet')['file'].to_pylist() == ['0', '1', '0', '2']


def test_files__of_one_key__keep_their_order(folder):
    for x in sources(folder).values():
        assert gs.sort_table(ds.dataset(pa.table({'x': [1]})), 'x').read_all()['x'].to_pylist() == [1]
        assert pa.table(gs.sort_table(x, 'file'))['x'].to_pylist() == [3, 1, 2, 4]


def test_files__of_other_formats(tmp_path):
    from pyarrow import csv, feather
    table = pa.table({'x': [2, 1]})
    csv.write_csv(table, tmp_path / 'x.csv')
    feather.write_feather(table, tmp_path / 'x.feather')
    for name in 'x.csv', 'x.feather':
        assert gs.sort_table(tmp_path / name, 'x').read_all()['x'].to_pylist() == [1, 2]


def test_files__that_do_not_fit__are_refused(folder):
    pq.write_table(pa.table({'y': [1]}), folder / 'y.parquet')
    (folder / 'no.parquet').write_bytes(b'no')
    for call in (lambda x: gs.sort_table(x, 'x'), lambda x: gs.sort_parquet(x, folder / 'out.parquet', 'x')):
        with pytest.raises(FileNotFoundError, match='no file matches'):
            call(str(folder / '*.none'))
        with pytest.raises(FileNotFoundError):
            call(folder / 'none.parquet')
        with pytest.raises(gs.InputError, match='no.parquet'):
            call(folder / 'no.parquet')
        with pytest.raises(TypeError, match='has other columns'):
            call([folder / 'in' / '0.parquet', folder / 'y.parquet'])
        with pytest.raises(gs.UsageError, match="'nosuch://x'"):
            call('nosuch://x')
    part = ds.dataset(folder / 'in').filter(ds.field('x') > 2)
    assert gs.sort_table(part, 'x').read_all()['x'].to_pylist() == [3, 4]
    ds.write_dataset(pa.table({'x': [2, 1], 'p': ['b', 'a']}), folder / 'parts', partitioning=['p'], format='parquet', partitioning_flavor='hive')
    parts = ds.dataset(folder / 'parts', partitioning='hive')
    assert gs.sort_table(parts, 'x').read_all().to_pylist() == [{'x': 1, 'p': 'a'}, {'x': 2, 'p': 'b'}]
    for dataset in part, parts, ds.dataset(pa.table({'x': [1]})):
        with pytest.raises(TypeError, match='dataset of whole Parquet files'):
            gs.sort_parquet(dataset, folder / 'out.parquet')


def test_output__at_a_url__appears_whole(folder):
    fsspec = pytest.importorskip('fsspec')
    gs.sort_parquet(folder / 'in' / '0.parquet', f'file://{folder}/out.parquet', 'x')
    assert pq.read_table(folder / 'out.parquet')['x'].to_pylist() == [1, 3]
    store = fsspec.filesystem('memory')
    gs.sort_parquet(sources(folder)['paths'], 'memory://b/out.parquet', '-x', temp=folder)
    with store.open('/b/out.parquet') as file:
        assert pq.read_table(file)['x'].to_pylist() == [4, 3, 2, 1]
    assert store.ls('/b', detail=False) == ['/b/out.parquet'] and sorted(path.name for path in folder.iterdir()) == ['in', 'out.parquet']
    with pytest.raises(TypeError):
        gs.sort_parquet('memory://b/out.parquet', 'memory://b/out.parquet', 'none', storage_options=3)
    with pytest.raises(ValueError, match='is not a column'):
        gs.sort_parquet('memory://b/out.parquet', 'memory://b/out.parquet', 'none')
    assert store.ls('/b', detail=False) == ['/b/out.parquet']


def test_reports__are_tables_in_notebooks():
    text = gs.sort(np.array([2.0, 1]))._repr_html_()
    assert text.startswith('<table>') and '<th>count</th><td>2</td>' in text
    with gs.Sorter(nulls_last=True) as s:
        s.push(pa.table({'x': [2, None]}))
        pa.table(s)
        assert '<th>rows</th><td>2</td>' in s.table_report._repr_html_()
    assert '<td>&lt;</td>' in gs.Disorder({'index': 1, 'before': '<', 'after': '>'})._repr_html_()


def test_logging__says_what_was_done(caplog):
    with caplog.at_level(logging.INFO, 'libgsort'):
        gs.sort(np.array([2.0, 1]))
        gs.sort_table(pa.table({'x': [2, None]}), 'x').read_all()
    assert 'gs_job_sort_array: 2 elements of f64' in caplog.text and 'table: 2 rows' in caplog.text
    caplog.clear()
    gs.sort(np.array([2.0, 1]))
    assert caplog.text == ''


def test_completion__shows_what_is_for_users():
    import libgsort.ray
    for module in gs, gs.cuda, libgsort.ray:
        names = [name for name in dir(module) if not name.startswith('__')]
        assert set(names) - {'sorted'} == set(module.__all__) and all(hasattr(module, name) for name in names)
    assert gs.sorted and 'sort_table' in dir(gs) and 'tables' not in dir(gs) and 'numpy' in sys.modules
