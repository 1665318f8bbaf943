"""Compares sort_table, for any columns and keys, with a slow model in Python, pyarrow, Polars and DuckDB."""
import decimal
import gc
import math
import os
import struct
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import libgsort as gs
from libgsort.tables import rows as layout
from libgsort.tables import sort
from libgsort.tables.sort import TableSorter

MIB = 1 << 20
TEXTS = st.text(alphabet='ab\0\x7fé\U0001f600', max_size=5) | st.sampled_from(['x' * 40, 'x' * 40 + 'a', 'x' * 33, ''])
BYTES = st.binary(max_size=3) | st.sampled_from([b'\xff' * 40, b'\xff' * 39 + b'\0'])
SIGNED = [0.0, -0.0, -math.nan, math.nan]
FLOATS = st.floats(width=16) | st.sampled_from(SIGNED)
TIMES = st.integers(-9, 9)
KEYS = [  # types that have an order, and values of them
    (pa.int8(), st.integers(-128, 127)), (pa.uint64(), st.sampled_from([0, 1, 2 ** 63, 2 ** 64 - 1])), (pa.int64(), st.integers(-2 ** 63, 2 ** 63 - 1)),
    (pa.uint16(), st.integers(0, 3)), (pa.bool_(), st.booleans()), (pa.float64(), FLOATS), (pa.float32(), FLOATS), (pa.float16(), FLOATS.map(np.float16)),
    (pa.date32(), TIMES), (pa.time64('us'), st.integers(0, 9)), (pa.timestamp('us', 'UTC'), TIMES), (pa.duration('s'), TIMES),
    (pa.decimal128(20, 2), st.integers(-10 ** 19, 10 ** 19).map(lambda i: decimal.Decimal(i).scaleb(-2))),
    (pa.decimal256(60, 0), st.integers(-10 ** 59, 10 ** 59).map(decimal.Decimal)),
    (pa.string(), TEXTS), (pa.large_string(), TEXTS), (pa.string_view(), TEXTS), (pa.binary(), BYTES), (pa.binary_view(), BYTES),
    (pa.binary(3), st.binary(min_size=3, max_size=3)), (pa.binary(40), st.sampled_from([b'a' * 40, b'a' * 39 + b'\xff'])),
    (pa.dictionary(pa.int8(), pa.string()), TEXTS), (pa.dictionary(pa.uint32(), pa.string_view()), TEXTS),
    (pa.run_end_encoded(pa.int32(), pa.int64()), st.integers(0, 2)), (pa.null(), st.none())]
OTHERS = [  # types that are only carried along
    (pa.list_(pa.int32()), st.lists(st.none() | st.integers(0, 9), max_size=3)),
    (pa.list_(pa.dictionary(pa.int8(), pa.string())), st.lists(st.sampled_from('abc'), max_size=3)),
    (pa.large_list(pa.dictionary(pa.uint32(), pa.string_view())), st.lists(TEXTS, max_size=2)),
    (pa.list_(pa.int8(), 2), st.tuples(st.integers(0, 9), st.integers(0, 9)).map(list)),
    (pa.list_view(pa.int8()), st.lists(st.integers(0, 9), max_size=2)),
    (pa.struct([('a', pa.string_view()), ('b', pa.list_(pa.string()))]), st.fixed_dictionaries({'a': TEXTS, 'b': st.none() | st.lists(TEXTS, max_size=2)})),
    (pa.map_(pa.string(), pa.int8()), st.dictionaries(TEXTS, st.integers(0, 9), max_size=2).map(lambda d: list(d.items()))),
    (pa.month_day_nano_interval(), st.tuples(TIMES, TIMES, TIMES))]


def array_of(kind, values):
    """pa.array cannot make some of them from Python's objects."""
    if pa.types.is_run_end_encoded(kind):
        return pc.run_end_encode(pa.array(values, kind.value_type), run_end_type=kind.run_end_type)
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.large_string()).cast(kind)
    if pa.types.is_large_list(kind):
        return pa.array(values, pa.large_list(pa.large_string())).cast(pa.large_list(pa.dictionary(pa.uint32(), pa.large_string()))).cast(kind)
    if pa.types.is_list(kind) and pa.types.is_dictionary(kind.value_type):
        return pa.array(values, pa.list_(pa.string())).cast(kind)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        integer = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(values, integer).view(kind)
    return pa.array(values, kind)


@st.composite
def tables(draw):
    """A table, values of its columns as Python has them, and the keys among its columns."""
    rows = draw(st.integers(0, 60))
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3))
    others = draw(st.lists(st.sampled_from(OTHERS), max_size=2))
    arrays, lists = [], []
    for kind, values in keys + others:
        few = draw(st.lists(st.none() | values if draw(st.booleans()) else values, min_size=1, max_size=8))
        lists.append([few[i % len(few)] for i in draw(st.lists(st.integers(0, 7), min_size=rows, max_size=rows))])
        arrays.append(array_of(kind, lists[-1]))
        if pa.types.is_floating(kind):
            lists[-1] = arrays[-1].to_pylist()  # NaNs with the bits that the type can hold
    names = [f'c{i}' for i in range(len(arrays))]
    wanted = draw(st.permutations([draw(st.sampled_from(['', '-'])) + name for name in names[:len(keys)]]))
    return pa.table([*arrays, np.arange(rows)], [*names, 'place']), lists, wanted


def model_order(lists, keys, nulls):
    """Slowly: by the last key first, for Python's sort is stable."""
    order = list(range(len(lists[0])))
    for key in reversed(keys):
        column = lists[int(key.lstrip('-')[1:])]
        order.sort(key=lambda i, column=column: comparable(column[i]), reverse=key[0] == '-')
        order.sort(key=lambda i, column=column: (column[i] is None) == (nulls == 'last'))
    return order


def comparable(value):
    if value is None:
        return (0,)
    if isinstance(value, str):
        return 0, value.encode()
    if isinstance(value, (float, np.floating)):
        bits, sign = struct.unpack('<q', struct.pack('<d', value))[0], int(math.copysign(1, value))  # -0.0 is before 0.0; NaNs are last
        return (1, -sign, bits * sign) if math.isnan(value) else (0, float(value), sign)
    return 0, value


def batches_of(table, cuts):
    at = [0, *sorted(cut % (table.num_rows + 1) for cut in cuts), table.num_rows]
    for begin, end in zip(at, at[1:]):
        yield from table.slice(begin, end - begin).to_batches()


def same(found, wanted):
    """Also where values are NaN, and where pyarrow compares no arrays of such a type."""
    return repr(found.to_pylist()) == repr(wanted)


def sorted_small(table, batches, keys, nulls, memory, tmp):
    """Within less memory than gs.sort_table takes."""
    sorter = TableSorter(table.schema, keys, nulls, memory, tmp)
    for batch in batches:
        sorter.push(batch)
    found = pa.Table.from_batches(sorter.batches(), table.schema)
    found.validate(full=True)
    return found, sorter.report


@given(tables(), st.sampled_from(['first', 'last']), st.lists(st.integers(0, 60), max_size=5), st.sampled_from([500, 3000, 1 << 30]),
       st.sampled_from([MIB, 32 << 10, 8 << 10]), st.sampled_from([(256, 48, 1024), (1, 48, 1024), (4, 3, 20), (3, 48, 8)]))
@example(made=(pa.table({'c0': SIGNED, 'place': np.arange(4)}), [SIGNED], ['c0']), nulls='last', cuts=[], group=500, memory=MIB,
         widths=(256, 48, 1024))
def test_any_table__is_as_the_model_sorts_it(tmp_path_factory, made, nulls, cuts, group, memory, widths):
    table, lists, keys = made
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sort, 'GROUP_MOST', group)
        for name, value in zip(('KEY_MOST', 'INLINE_MOST', 'RECORD_MOST'), widths):
            patched.setattr(layout, name, value)
        try:
            found, _ = sorted_small(table, batches_of(table, cuts), keys, nulls, memory, tmp_path_factory.getbasetemp())
        except gs.OutOfMemoryError as error:  # in the least memory, a row may be too large
            assert memory == 8 << 10 and 'may have at most 1/64 of memory, 128 bytes' in str(error)
            reject()
    order = model_order(lists, keys, nulls)
    assert found['place'].to_pylist() == order
    rows = table.to_pylist()
    assert found.schema.equals(table.schema, check_metadata=True) and same(found, [rows[i] for i in order])


def mixed(count, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table({
        'name': pa.array([None if i % 11 == 0 else f'n{i}' for i in rng.integers(0, 500, count).tolist()]),
        'price': pa.array(rng.integers(0, 50, count) / 4, mask=rng.random(count) < 0.1),
        'text': pa.array(['t' * i for i in rng.integers(0, 60, count).tolist()]),
        'tags': pa.array([None if i == 0 else [f'g{i}'] * i for i in rng.integers(0, 4, count).tolist()], pa.list_(pa.string())),
        'place': np.arange(count)})


def pyarrow_order(table, keys, nulls):
    where = 'at_start' if nulls == 'first' else 'at_end'
    by = [(key.lstrip('-'), 'descending' if key[0] == '-' else 'ascending') for key in keys]
    try:
        return pc.sort_indices(table, sort_keys=[(*key, where) for key in by])
    except (TypeError, ValueError):  # before pyarrow 25
        return pc.sort_indices(table, sort_keys=by, null_placement=where)


@pytest.mark.parametrize('keys', [['price', '-name'], ['-text', 'place'], ['name', 'text']])
@pytest.mark.parametrize('nulls', ['first', 'last'])
@pytest.mark.parametrize('key_most', [256, 4])
def test_stored_in_many_runs__as_pyarrow_sorts_it(tmp_path, monkeypatch, keys, nulls, key_most):
    table = mixed(20_000)
    monkeypatch.setattr(layout, 'KEY_MOST', key_most)
    found, report = sorted_small(table, table.to_batches(777), keys, nulls, 2 * MIB, tmp_path)
    assert found.equals(table.take(pyarrow_order(table, keys, nulls)))
    assert report.spilled_bytes > 0 and os.listdir(tmp_path) == []


def test_stored_rows__are_written_once(tmp_path):
    table = mixed(20_000)
    _, report = sorted_small(table, table.to_batches(1000), 'place', 'last', 2 * MIB, tmp_path)
    assert report.passes == 1 and 0.3 * table.nbytes < report.spilled_bytes < 1.3 * table.nbytes


@pytest.mark.parametrize('rows, length, ending', [(3000, 1000, ''), (3000, 1000, 'z' * 300), (300, 40_000, 'z')])
def test_texts__equal_in_more_bytes_than_a_record_has__are_sorted_by_the_rest(tmp_path, rows, length, ending):
    """More rows than a window has are equal in the first bytes of a text, and then in those of another one."""
    rng = np.random.default_rng(1)
    texts = [['p' * length + 'q' * int(i) + ending for i in rng.integers(0, 300, rows)] for _ in range(2)]
    table = pa.table({'a': texts[0], 'n': rng.integers(0, 2, rows), 'b': pa.array(texts[1], mask=rng.random(rows) < 0.1), 'place': np.arange(rows)})
    for keys in (['a', 'n', '-b'], ['-n', 'b', 'a']):
        found, report = sorted_small(table, table.to_batches(100), keys, 'first', 8 * MIB, tmp_path)
        assert found.equals(table.take(pyarrow_order(table, keys, 'first'))) and report.rows == rows


def test_equal_long_texts__are_written_twice(tmp_path):
    """Once as the rest of records, and once in records of their own, which need no rest."""
    table = pa.table({'a': ['p' * 6000] * 3000, 'place': np.arange(3000)})
    found, report = sorted_small(table, table.to_batches(100), ['a'], 'first', 8 * MIB, tmp_path)
    assert found.equals(table) and report.spilled_bytes < 2.3 * table.nbytes


def test_windows__have_a_part_of_memory(tmp_path, monkeypatch):
    """However long the texts are of which a window consists."""
    table, seen = mixed(5_000), []
    table = table.append_column('long', pa.array(['l' * (i * i % 9999) for i in range(5_000)]))
    real = layout.Rows.unpack
    monkeypatch.setattr(layout.Rows, 'unpack', lambda self, records, rest: seen.append(rest.nbytes + records.nbytes) or real(self, records, rest))
    found, report = sorted_small(table, table.to_batches(100), ['price', 'place'], 'last', 2 * MIB, tmp_path)
    assert found.equals(table.take(pyarrow_order(table, ['price', 'place'], 'last')))
    assert report.spilled_bytes > 16 * MIB and 16 << 10 < max(seen) <= 33 << 10


def test_columns__more_than_a_record_holds__are_stored(tmp_path):
    table = pa.table({f'c{i}': np.random.default_rng(i).integers(0, 1 << 40, 2000) for i in range(300)})
    found, _ = sorted_small(table, table.to_batches(300), ['c7', '-c3'], 'last', 4 * MIB, tmp_path)
    assert found.equals(table.sort_by('c7'))


@pytest.mark.parametrize('how', ['', 'short'])
def test_spill__damaged__is_noticed(tmp_path, monkeypatch, how):
    from libgsort.tables.store import Spill
    table, real = mixed(20_000), Spill.write

    def write(self, batch):
        begin, length, checksum = real(self, batch)
        if how == 'short':
            os.ftruncate(self.fd, begin + 1)
        else:
            os.pwrite(self.fd, b'\xee', begin + length // 2)
        return begin, length, checksum
    monkeypatch.setattr(Spill, 'write', write)
    with pytest.raises(gs.CorruptError, match='a temporary file is damaged'):
        sorted_small(table, table.to_batches(1000), '-place', 'last', 2 * MIB, tmp_path)


def test_spill__of_which_a_batch_is_lost__is_noticed(tmp_path, monkeypatch):
    from libgsort.tables.store import Spill
    table, real = mixed(20_000), Spill.read
    monkeypatch.setattr(Spill, 'read', lambda self, places: real(self, places[3:]))
    with pytest.raises(gs.VerifyError, match=r'\d+ rows of a temporary file are missing'):
        sorted_small(table, table.to_batches(1000), '-place', 'last', 2 * MIB, tmp_path)


def test_row__larger_than_its_part_of_memory__is_refused_by_its_number():
    table = pa.table({'x': ['a', 'b' * (MIB // 2 - 100), 'b' * MIB, 'c']})
    with pytest.raises(gs.OutOfMemoryError, match=r'row 2 has \d+ bytes.*1/64 of memory, 524288 bytes'):
        gs.sort_table(table, memory='32M')
    reader = gs.sort_table(table.slice(0, 2), '-x', memory='33M')
    assert pa.table(reader).equals(table.slice(0, 2).take([1, 0]))


def test_polars_and_duckdb__any_columns__both_ways():
    rows = mixed(5000)
    frame = pl.DataFrame(rows).with_columns(kind=pl.col('name').cast(pl.Categorical), kinds=pl.concat_list(pl.col('name').cast(pl.Categorical)))
    for given_frame in (frame, frame.lazy()):
        found = pl.DataFrame(gs.sort_table(given_frame, ['-name', 'place'], memory='32M'))
        assert found.schema == frame.schema and found.equals(frame.sort(['name', 'place'], descending=[True, False], nulls_last=True))
    found = gs.sort_table(duckdb.sql('SELECT * FROM rows'), ['price', '-place'], nulls='first')
    assert duckdb.sql('SELECT * FROM found').fetchall() == duckdb.sql(
        'SELECT * FROM rows ORDER BY price NULLS FIRST, place DESC NULLS FIRST').fetchall()


def test_columns_alone__and_batches():
    assert pa.table(gs.sort_table(pa.array([2, None, 1]))).to_pydict() == {'value': [1, 2, None]}
    assert pl.DataFrame(gs.sort_table(pl.Series('x', ['b', None, 'a']), '-x', nulls='first'))['x'].to_list() == [None, 'b', 'a']
    assert pa.table(gs.sort_table(pa.record_batch({'x': ['b', 'a']}))).to_pydict() == {'x': ['a', 'b']}
    with pytest.raises(TypeError, match='dict is not an Arrow table'):
        gs.sort_table({'x': [1]})


def test_sorted__is_a_copy():
    a = np.random.default_rng(1).normal(size=1000)
    before = a.copy()
    assert (gs.sorted(a, reverse=True) == np.sort(a)[::-1]).all() and (a == before).all()
    pairs = np.array([(2, 1), (1, 2)], [('x', 'i4'), ('y', 'i4')])
    assert gs.sorted(pairs[::-1], order='-y')['y'].tolist() == [2, 1] and gs.sorted(np.array([3, 1])).tolist() == [1, 3]
    a.flags.writeable = False
    assert gs.sorted(a).flags.writeable
    with pytest.raises(TypeError, match='nulls: only for Arrow columns'):
        gs.sorted(a, nulls='first')
    for table in (pa.table({'x': [1]}), pa.record_batch({'x': [1]}), pl.DataFrame({'x': [1]}), duckdb.sql('SELECT 1 AS x')):
        with pytest.raises(TypeError, match=rf'sorted\(\): {type(table).__name__} is a table; use sort_table'):
            gs.sorted(table)


def listed(column):
    return column.to_list() if isinstance(column, pl.Series) else column.to_pylist()


@pytest.mark.parametrize('column', [pa.array(['b', None, 'a']), pa.chunked_array([['b'], [None, 'a']]), pl.Series('s', ['b', None, 'a'])])
def test_sorted__columns_of_arrow(column):
    assert listed(gs.sorted(column)) == ['a', 'b', None]
    assert listed(gs.sorted(column, reverse=True, nulls='first', memory='32M')) == [None, 'b', 'a']
    with pytest.raises(TypeError, match='threads: not for an Arrow column'):
        gs.sorted(column, threads=1)
    assert listed(gs.sorted(column, threads=None, memory=None, progress=None, cancel=gs.Cancel())) == ['a', 'b', None]


def test_sorted__a_column__is_canceled_at_any_time():
    cancel = gs.Cancel()
    cancel.cancel()
    with pytest.raises(gs.CanceledError):
        gs.sorted(pa.array(['b', 'a']), cancel=cancel)
    with pytest.raises(TypeError, match=r'sorted\(\): cancel: bool is not a libgsort.Cancel'):
        gs.sorted(pa.array(['b', 'a']), cancel=True)
    for phase in ('read', 'write'):
        cancel = gs.Cancel()
        with pytest.raises(gs.CanceledError):
            gs.sorted(pa.chunked_array([['b'] * 100_000] * 4), memory='32M', cancel=cancel,
                      progress=lambda at, phase=phase, cancel=cancel: at.phase == phase and cancel.cancel())


@pytest.mark.parametrize('make', [pa.array, lambda a: pa.chunked_array([a[:7], a[7:7], a[7:]]), pl.Series])
@pytest.mark.parametrize('dtype', ['f8', 'i4', 'u1', '?', 'M8[us]', 'M8[D]', 'm8[ms]'])
def test_columns__where_arrays_are(make, dtype):
    a = np.random.default_rng(1).integers(0, 200, 1000).astype(dtype)
    column = make(a)
    assert (gs.argsort(column) == np.argsort(a, kind='stable')).all()
    assert gs.stats(column).max == a.max() and np.array_equal(gs.top(column, 3), np.sort(a)[:3])
    assert gs.top(column, 3).dtype == (column.dtype if isinstance(column, pl.Series) else a.dtype)
    with pytest.raises(gs.DisorderError):
        gs.check(column)
    with pytest.raises(ValueError, match=r'read-only.*sorted\(\) returns a sorted copy'):
        gs.sort(column)


@pytest.mark.parametrize('kind, dtype', [(pa.date64(), 'M8[ms]'), (pa.timestamp('s'), 'M8[s]'), (pa.timestamp('ns', 'Europe/Berlin'), 'M8[ns]'),
                                         (pa.duration('us'), 'm8[us]'), (pa.time32('s'), '<i4')])
def test_columns__of_times__are_those_of_numpy(kind, dtype):
    column = pa.array([86_400_000, 0], pa.int32() if kind == pa.time32('s') else pa.int64()).cast(kind)
    found = gs.top(column, 2)
    assert found.dtype == dtype and found.astype('i8').tolist() == [0, 86_400_000]


@pytest.mark.parametrize('column, error, text', [
    (pa.array([1, None]), ValueError, 'nulls'), (pa.array(['a']), TypeError, 'fixed width'), (pa.table({'x': [1]}), TypeError, r'sort_table\(\)'),
    (pa.array([decimal.Decimal(1)]), TypeError, 'decimals'), (pa.array([b''], pa.binary(0)), TypeError, 'width 0')])
def test_columns__that_are_no_arrays__are_refused(column, error, text):
    with pytest.raises(error, match=text):
        gs.argsort(column)


@pytest.mark.parametrize('rows', [0, 1])
def test_table__without_rows_or_with_one__has_its_schema(rows):
    table = mixed(1).slice(0, rows).replace_schema_metadata({'a': 'b'})
    reader = gs.sort_table(table, 'name')
    assert reader.schema.equals(table.schema, check_metadata=True) and reader.read_all().equals(table)


def test_schema__metadata_and_extension_types__come_out_again():
    schema = pa.schema([pa.field('id', pa.uuid(), metadata={'k': 'v'}), pa.field('n', pa.int32(), nullable=False)], metadata={'a': '\0'})
    table = pa.table([pa.array([b'%016d' % i for i in (3, 1, 2)], pa.uuid()), pa.array([3, 1, 2], pa.int32())], schema=schema)
    found = gs.sort_table(table, 'id').read_all()
    assert found.schema.equals(schema, check_metadata=True) and found['n'].to_pylist() == [1, 2, 3]


def test_labels_of_pandas__that_are_a_range__are_not_those_of_other_rows():
    frame = pd.DataFrame({'x': [3, 1, 2], 'y': [3, 1, 2]}, index=pd.RangeIndex(10, 13))
    table = pa.Table.from_pandas(frame)
    found = gs.sort_table(table.replace_schema_metadata({**table.schema.metadata, 'a': 'b'}), 'x').read_all()
    assert found.to_pandas().equals(frame.sort_values('x').reset_index(drop=True)) and found.schema.metadata[b'a'] == b'b'
    assert gs.sort_table(frame.set_index('y'), 'x').equals(frame.set_index('y').sort_values('x'))
    for odd in b'no json', b'[]', b'{}', b'{"index_columns": null}':
        assert gs.sort_table(table.replace_schema_metadata({'pandas': odd}), 'x').read_all().schema.metadata == {b'pandas': odd}


@pytest.mark.parametrize('batch', [
    pa.record_batch({'x': pa.array([1, 2, 3, 4], pa.int32()), 'y': [1, 2, 3, 4]}), pa.record_batch({'y': [1, 2], 'x': [3, 4]})])
def test_reader__whose_batches_have_another_schema__is_refused(batch):
    """As its own read_all() does. An Arrow stream would have the bytes of the batch, and bytes after them, in the schema of the reader."""
    first = pa.record_batch({'x': [3, 1], 'y': [30, 10]})
    with pytest.raises(TypeError, match='a batch has other columns'):
        gs.sort_table(pa.RecordBatchReader.from_batches(first.schema, [first, batch]), 'x')


@pytest.mark.parametrize('make, kind', [
    (pa.ListViewArray, pa.list_view(pa.string())), (pa.LargeListViewArray, pa.large_list_view(pa.string_view())),
    (pa.ListViewArray, pa.list_view(pa.dictionary(pa.int8(), pa.string())))])
def test_views_of_lists__are_not_counted_as_all_values_in_each_row(make, kind):
    """Some of the same values, in any order, and nulls; more of them than a row may have."""
    rng, count = np.random.default_rng(1), 40_000
    begins, lengths = rng.integers(0, count - 3, count), rng.integers(0, 3, count)
    values = pa.array([f'{i % 100:020}' for i in range(count)]).cast(kind.value_type)
    offset = pa.int64() if make is pa.LargeListViewArray else pa.int32()
    lists = make.from_arrays(pa.array(begins, offset), pa.array(lengths, offset), values, type=kind, mask=pa.array(rng.random(count) < 0.1))
    table = pa.table({'x': rng.permutation(count), 'lists': lists}).slice(7)
    found = gs.sort_table(table, 'x', memory='32M').read_all()
    found.validate(full=True)
    rows = sorted(table.to_pylist(), key=lambda row: row['x'])
    assert found.schema == table.schema and found.to_pylist() == rows


def dictionaries(*parts, ordered=False, index=pa.int8()):
    return [pa.record_batch({'x': pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(values), ordered=ordered)}) for codes, values in parts]


def test_dictionaries__that_differ__are_one():
    batches = dictionaries(([0, 1, None], ['b', 'a']), ([0, 1, 2], ['c', 'b', None]), ([0], ['a']))
    found = gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches), 'x').read_all()
    assert found.schema == batches[0].schema and found['x'].to_pylist() == ['a', 'a', 'b', 'b', 'c', None, None]


def test_dictionaries__ordered__by_their_places_and_only_one():
    batches = dictionaries(([0, 1, 2], ['low', 'high', 'mid']), ([3, 1], ['low', 'high', 'mid', 'top']), ordered=True)
    found = gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches), '-x').read_all()
    assert found['x'].to_pylist() == ['top', 'mid', 'high', 'high', 'low'] and found.schema.field('x').type.ordered
    batches = dictionaries(([0], ['low', 'high']), ([0], ['high', 'none']), ordered=True)
    with pytest.raises(TypeError, match="'x': its dictionary is ordered, but differs"):
        gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches))


@pytest.mark.parametrize('other, is_taken', [
    (['mid', 'high', 'low'], False), (['high', 'low'], False), (['low', 'mid', 'high', 'mid'], False),
    (['low', 'top', 'mid', 'high'], False),
    (['low', 'high'], True), (['mid'], True), ([None, 'low', None, 'high'], True), (['low', 'mid', 'high', 'top'], True),
    (['low', None, 'mid', 'high', 'top'], True)])
def test_dictionaries__ordered_ones__are_one_order(other, is_taken):
    batches = dictionaries(([0, 1, 2], ['low', 'mid', 'high']), ([0], other), ordered=True)
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    if not is_taken:
        with pytest.raises(TypeError, match="'x': its dictionary is ordered, but differs"):
            gs.sort_table(reader, 'x')
        return
    order = ['low', 'mid', 'high', 'top', None]
    assert gs.sort_table(reader, 'x').read_all()['x'].to_pylist() == sorted(['low', 'mid', 'high', other[0]], key=order.index)


def test_keys__more_than_records_have__are_sorted_too():
    """A record has 64 keys at most, and a null, or a second word, is one more."""
    rng = np.random.default_rng(1)
    columns = {f'c{i}': pa.array([None if v == 0 else decimal.Decimal(v) if i % 3 == 0 else str(v) if i % 3 == 1 else v
                                  for v in rng.integers(0, 2 if i < 69 else 9, 300).tolist()],
                                 (pa.decimal128(5), pa.string(), pa.int64())[i % 3]) for i in range(72)}
    for i in range(0, 66):  # so that the last ones decide
        columns[f'c{i}'] = columns[f'c{i}'].take(pa.array(np.arange(300) % 5 // 2))
    table = pa.table({**columns, 'place': np.arange(300)})
    for keys in ([f'c{i}' for i in range(72)], ['-' * (i % 2) + f'c{i}' for i in range(72)]):
        lists = [table[f'c{i}'].to_pylist() for i in range(72)]
        assert gs.sort_table(table, keys).read_all()['place'].to_pylist() == model_order(lists, keys, 'last')


def test_temp__several_folders__is_the_first(tmp_path):
    table = mixed(20_000)
    folders = [tmp_path / 'a', tmp_path / 'b']
    folders[0].mkdir()
    assert sorted_small(table, table.to_batches(1000), 'place', 'last', 2 * MIB, folders)[1].spilled_bytes > 0
    with gs.Sorter(key='x', temp=[folders[0], tmp_path]) as s:
        s.push(pa.table({'x': [2, 1]}))
        s.push(pa.table({'x': [None, 3]}))
        assert pa.table(s)['x'].to_pylist() == [1, 2, 3, None]
    with pytest.raises(TypeError, match=r'sort_table\(\): temp: int is not a path'):
        gs.sort_table(table, temp=3)


@pytest.mark.parametrize('kind', ['f2', 'f4', 'f8'])
def test_dictionaries__of_zeros__keep_their_signs(kind):
    batches = dictionaries(*[([0, 0], np.array([zero], kind)) for zero in (0.0, -0.0, 0.0)])
    found = gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches), 'x').read_all()
    assert str(found['x'].to_pylist()) == '[-0.0, -0.0, 0.0, 0.0, 0.0, 0.0]'
    batches = dictionaries(([0], np.array([0.0], kind)), ([0, 1], np.array([-0.0, 0.0], kind)), ordered=True)
    with pytest.raises(TypeError, match="'x': its dictionary is ordered, but differs"):
        gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches), 'x')


def test_dictionaries__too_many_values_for_the_index__are_refused():
    batches = dictionaries(([0], [f'a{i}' for i in range(100)]), ([0], [f'b{i}' for i in range(100)]))
    with pytest.raises(TypeError, match="'x': its dictionaries have 200 values together, too many for indexes of int8"):
        gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches))


@pytest.mark.parametrize('key, want', [('x', [2, 1, 6, 0, 3, 5, 7, 4]), ('-x', [5, 7, 3, 0, 1, 6, 2, 4])])
def test_dictionaries__of_halves__are_as_floats_go(key, want):
    parts = ([0, 1, 2, 3, None, 4], np.array([0.0, -0.0, -1, 9, np.nan], 'f2')), ([0, 1], np.array([-0.0, np.nan], 'f2'))
    table = pa.Table.from_batches(dictionaries(*parts))
    found = gs.sort_table(table.append_column('place', pa.array(np.arange(8))), key).read_all()
    assert found['place'].to_pylist() == want and found.schema.field('x') == table.schema.field('x')
    values = table['x'].to_pylist()
    assert str(found['x'].to_pylist()) == str([values[place] for place in want])  # with the signs of zeros


@pytest.mark.parametrize('table, keys, options, error, text', [
    (pa.table({'x': [[1]]}), 'x', {}, TypeError, "'x' cannot be a key: list<"),
    (pa.table({'x': [1]}), '-z', {}, ValueError, "'z' is not a column of the table; it has x"),
    (pa.table([[1], [2]], ['x', 'x']), 'x', {}, ValueError, "'x' is the name of 2 columns"),
    (pa.table({'x': [1]}), 'x', {'nulls': 'end'}, ValueError, "nulls: 'end' is neither 'first' nor 'last'"),
    (pa.table({'x': [1]}), 'x', {'memory': '1M'}, gs.OutOfMemoryError, '1048576 bytes are too little for a table; give at least 32M'),
    (pa.table({'x': [1]}), 'x', {'memory': 'all'}, gs.UsageError, "memory: 'all' is not a size"),
    (pa.table({}), None, {}, ValueError, 'without columns')])
def test_what_cannot_be__is_refused(table, keys, options, error, text):
    with pytest.raises(error, match=text):
        gs.sort_table(table, keys, **options)


def test_temp__that_is_not_there__is_named(tmp_path):
    table = mixed(20_000)
    with pytest.raises(FileNotFoundError, match="nowhere': cannot "):
        sorted_small(table, table.to_batches(1000), 'place', 'last', 2 * MIB, tmp_path / 'nowhere')


def test_reader__that_is_left__gives_its_disk_back(tmp_path, monkeypatch):
    table = mixed(20_000)
    opened = len(os.listdir('/proc/self/fd'))
    sorter = TableSorter(table.schema, 'place', 'last', 2 * MIB, tmp_path)
    for batch in table.to_batches(1000):
        sorter.push(batch)
    batches = sorter.batches()
    next(batches)
    assert len(os.listdir('/proc/self/fd')) > opened
    del batches, sorter
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) == opened


def test_reader__that_has_failed__does_not_end_as_if_whole():
    """Also if Ctrl-C interrupts after a batch was pulled and before it was returned."""
    def fail(at):
        if at.phase == 'write':
            raise KeyboardInterrupt
    with gs.Cancel() as cancel:
        canceled = gs.sort_table(mixed(2_000), 'place', cancel=cancel)
    for reader, error in (canceled, gs.CanceledError), (gs.sort_table(mixed(2_000), 'place', progress=fail), KeyboardInterrupt):
        with pytest.raises(error):
            reader.read_all()
        for _ in range(2):
            with pytest.raises(gs.UsageError, match='the sort failed before'):
                reader.read_all()
    whole = gs.sort_table(mixed(2_000), 'place')
    assert whole.read_all().num_rows == 2_000 and whole.read_all().num_rows == 0


def test_progress__comes_to_its_end():
    seen = []
    table = mixed(20_000)
    gs.sort_table(table, 'place', progress=seen.append).read_all()
    assert {at.phase for at in seen} == {'read', 'write'} and seen[-1].bytes_done == seen[-1].bytes_total > 0


@pytest.mark.parametrize('is_fed', [False, True])
def test_progress__of_what_takes_fewer_bytes_when_it_comes_out__is_whole_at_its_end(is_fed):
    """Short texts are inside of their view, and converted to other texts. The dictionaries of all batches are merged into one."""
    batches, seen = dictionaries(*[([0, 1], ['a' * 9999, 'b'])] * 50), []
    if is_fed:
        with gs.Sorter(key='x', progress=seen.append) as s:
            s.push(pa.table({'x': pa.array(['b' * 12, 'a' * 12] * 999, pa.string_view())}))
            pa.table(s)
    else:
        gs.sort_table(pa.RecordBatchReader.from_batches(batches[0].schema, batches), 'x', progress=seen.append).read_all()
    assert seen[-1].bytes_done == seen[-1].bytes_total > 0 and [at.phase for at in seen].count('write') < 4


def test_arrows_pool__is_the_users_again__once_a_call_is_back():
    table, pool, seen = mixed(2_000), pa.default_memory_pool().backend_name, []

    def look(batches, end=None):
        for batch in batches:
            seen.append(pa.default_memory_pool().backend_name)
            yield batch
        if end is not None:
            raise end

    def ordered(end=None):
        source = look(table.to_batches(200), end)
        return look(gs.sort_table(pa.RecordBatchReader.from_batches(table.schema, source), 'place'))

    assert sum(batch.num_rows for batch in ordered()) == 2_000
    with pytest.raises(ValueError):
        list(ordered(ValueError('no more of it')))
    list(look([1]))
    assert len(seen) > 20 and set(seen) == {pool}


PEAK = '''
import sys
import numpy as np, pyarrow as pa
import libgsort as gs

def peak():
    with open('/proc/self/status') as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith('VmHWM'))

def batches(count):
    rng = np.random.default_rng(1)
    for begin in range(0, count, 20_000):
        numbers = rng.integers(0, 1 << 40, 20_000)
        yield pa.record_batch({'x': numbers, 'text': pa.array(numbers).cast(pa.string()), 'row': np.arange(begin, begin + 20_000)})

SCHEMA = next(batches(20_000)).schema
def run(count, memory):
    """Like it, of `count` rows: is in order, and what it takes."""
    rows, last = 0, -1
    for batch in gs.sort_table(pa.RecordBatchReader.from_batches(SCHEMA, batches(count)), 'x', memory=memory, temp='.'):
        numbers = batch['x'].to_numpy()
        assert (np.diff(numbers) >= 0).all() and numbers[0] >= last
        rows, last = rows + len(numbers), numbers[-1]
    assert rows == count

run(20_000, '32M')  # what is loaded once
before = peak()
run(5_000_000, '64M')
print(peak() - before)
'''


def test_peak__of_a_table_larger_than_memory__is_its_ceiling(tmp_path):
    told = subprocess.run([sys.executable, '-c', PEAK], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) < 64 * MIB
    assert os.listdir(tmp_path) == []
