"""Sorts Arrow data of pyarrow, Polars and DuckDB by a Sorter, and reads the result with them."""
import ctypes
import decimal
import functools
import gc
import os
import signal
import subprocess
import sys
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import libgsort as gs
from libgsort import arrow_c
from libgsort.tables.stream import TableStream

COUNT = 20_000


@pytest.fixture(autouse=True)
def nothing_is_kept():
    """All that was given to others is released, once they have forgotten it."""
    yield
    gc.collect()
    assert len(arrow_c.ALIVE) == 0


def trades(count=COUNT):
    rng = np.random.default_rng(1)
    return pa.table({
        'price': rng.integers(0, 50, count) / 4, 'time': pa.array(rng.permutation(count)).cast(pa.timestamp('us', 'UTC')),
        'buys': rng.integers(0, 2, count).astype(bool), 'small': rng.integers(-100, 100, count).astype('i1'),
        'day': pa.array(rng.integers(0, 9, count).astype('i4')).cast(pa.date32()),
        'code': pa.array([b'%03d' % (i % 7) for i in range(count)], pa.binary(3)),
        'money': pa.array([decimal.Decimal(i - 500).scaleb(-2) for i in rng.integers(0, 1000, count).tolist()], pa.decimal128(20, 2))})


def sorted_by(table, keys, **options):
    with gs.Sorter(key=keys, **options) as s:
        s.push(table)
        return pa.table(s)


@pytest.mark.parametrize('keys', [['price', '-time'], ['-buys', 'small', 'time'], ['code', '-money', 'time'], ['money', 'day', '-time']])
def test_table__any_columns__as_pyarrow_sorts_it(keys):
    table = trades()
    found = sorted_by(table, keys, memory='32M')
    want = table.sort_by([(key.lstrip('-'), 'descending' if key[0] == '-' else 'ascending') for key in keys])
    assert found.schema == want.schema and found.equals(want)


def test_table__all_columns__are_the_default():
    table = trades().select(['small', 'day', 'price'])
    assert sorted_by(table, None).equals(table.sort_by([(name, 'ascending') for name in table.column_names]))


@pytest.mark.parametrize('give', ['batches', 'chunks', 'slices', 'reader'])
def test_table__in_any_pieces(give):
    table = trades()
    with gs.Sorter(key='time') as s:
        if give == 'batches':
            for batch in table.to_batches(777):
                s.push(batch)
        elif give == 'chunks':
            s.push(pa.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)]))
        elif give == 'slices':  # offsets of bits, too
            for begin in range(0, COUNT, 1001):
                s.push(table.slice(begin, 1001))
        else:
            s.push(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(999)))
        assert pa.table(s).equals(table.sort_by('time'))


@pytest.mark.parametrize('nulls', [None, 'last'])
@pytest.mark.parametrize('batch', [
    pa.record_batch({'x': pa.array([1, 2, 3, 4], pa.int32()), 'y': [1, 2, 3, 4]}), pa.record_batch({'y': [1, 2], 'x': [3, 4]})])
def test_reader__whose_batches_have_another_schema__is_refused(batch, nulls):
    first = pa.record_batch({'x': [3, 1], 'y': [30, 10]})
    with gs.Sorter(key='x', nulls=nulls) as s, pytest.raises(TypeError, match=r'Sorter.push\(\): a batch has other columns than its reader'):
        s.push(pa.RecordBatchReader.from_batches(first.schema, [first, batch]))


def test_decimals__where_a_dtype_is_given__are_numbers_or_refused():
    values = [decimal.Decimal(256), decimal.Decimal(1), decimal.Decimal(-1)]
    table = pa.table({'x': pa.array(values, pa.decimal128(20, 0))})
    with gs.Sorter('i128') as s:
        s.push(table)
        assert pa.table(s)['x'].to_pylist() == sorted(values)
    for dtype, given in ('V16', table), ('u128', table), ('i128be', table), ([('x', 'V16'), ('y', '<i8')], table.append_column('y', pa.array([1, 2, 3]))):
        with gs.Sorter(dtype) as s, pytest.raises(TypeError, match=r'Sorter.push\(\): the table has decimals; the sorter accepts .*128'):
            s.push(given)


@pytest.mark.parametrize('options', [{}, {'nulls': 'last'}])
def test_labels_of_pandas__that_are_a_range__are_not_those_of_other_rows(options):
    frame = pd.DataFrame({'x': [3, 1, 2], 'y': [3, 1, 2]}, index=pd.RangeIndex(10, 13))
    table = pa.Table.from_pandas(frame)
    table = table.replace_schema_metadata({'a': 'b', **table.schema.metadata, 'c': ''})
    found = sorted_by(table, 'x', **options)
    assert found.to_pandas().equals(frame.sort_values('x').reset_index(drop=True))
    assert list(found.schema.metadata) == [b'a', b'pandas', b'c'] and found.schema.metadata[b'a'] == b'b'
    assert sorted_by(pa.Table.from_pandas(frame.set_index('y')), 'x', **options).to_pandas().equals(frame.set_index('y').sort_values('x'))


SCHEMA = pa.schema([('x', pa.int64()), ('y', pa.timestamp('us', 'UTC'))])


@pytest.mark.parametrize('data', [
    pa.RecordBatchReader.from_batches(SCHEMA, []), SCHEMA.empty_table(),
    pa.record_batch([[], []], schema=SCHEMA), pl.DataFrame(SCHEMA.empty_table())], ids=['stream', 'table', 'batch', 'polars'])
@pytest.mark.parametrize('options', [{'key': '-x'}, {}, {'key': ['y'], 'unique': True, 'count': True}])
def test_table__without_rows__makes_one_without_rows(data, options):
    if isinstance(data, pa.RecordBatchReader):  # which is read once
        data = pa.RecordBatchReader.from_batches(SCHEMA, [])
    count = pa.schema([pa.field('count', pa.uint64(), nullable=False)] if 'count' in options else [])
    with gs.Sorter(**options) as s:
        s.push(data)
        found = pa.table(s)
    assert found.num_rows == 0 and found.schema == pa.schema([*SCHEMA, *count])
    with gs.Sorter(**options) as s:
        s.push(data)
        assert s.dtype.names == ('x', 'y') and list(s) == []


def test_table__without_rows__before_others_and_of_duckdb():
    with gs.Sorter(key='x') as s:
        s.push(duckdb.sql('SELECT i AS x FROM range(9) t(i) WHERE i > 9'))
        s.push(pa.table({'x': [3, 1]}))
        with pytest.raises(TypeError, match='other columns'):
            s.push(pa.table({'z': pa.array([], pa.int64())}))
        assert pa.table(s).to_pydict() == {'x': [1, 3]}
    with pytest.raises(gs.UsageError, match='closed'):
        s.push(pa.table({'x': pa.array([], pa.int64())}))


class Celsius(pa.ExtensionType):
    def __init__(self, digits=1):
        self.digits = digits
        super().__init__(pa.int16(), 'test.celsius')

    def __arrow_ext_serialize__(self):
        return b'%d\0digits' % self.digits

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(int(serialized.partition(b'\0')[0]))


@pytest.fixture
def celsius():
    pa.register_extension_type(Celsius())
    yield Celsius(2)
    pa.unregister_extension_type('test.celsius')


def test_table__metadata_and_extension_types__come_out_again(celsius):
    fields = [pa.field('t', celsius, metadata={'unit': 'K/100', 'empty': '', b'\xff\0': b'\0\xfe'}), pa.field('n', pa.int32(), nullable=False),
              pa.field('id', pa.uuid(), metadata={'long': 'x' * 70_000})]
    schema = pa.schema(fields, metadata={'origin': 'a test', b'\0': b'\0'})
    rows = [celsius.wrap_array(pa.array([3, 1, 2], pa.int16())), pa.array([7, 8, 9], pa.int32()), pa.array([b'%016d' % i for i in range(3)], pa.uuid())]
    with gs.Sorter(key='t') as s:
        s.push(pa.table(rows, schema=schema))
        s.push(pa.table(rows, schema=schema.remove_metadata()))  # those of the first count
        found = pa.table(s)
    assert found.schema.equals(schema, check_metadata=True) and found['n'].to_pylist() == [8, 8, 9, 9, 7, 7]
    assert found['t'].type.digits == 2 and found['t'].chunk(0).storage.to_pylist() == [1, 1, 2, 2, 3, 3]


def test_column__of_an_extension_type__alone(celsius):
    with gs.Sorter(reverse=True) as s:
        s.push(celsius.wrap_array(pa.array([1, 3, 2], pa.int16())))
        found = pa.chunked_array(s)
    assert found.type == celsius and found.chunk(0).storage.to_pylist() == [3, 2, 1]
    with gs.Sorter(unique=True, count=True) as s:
        s.push(pa.table({'t': celsius.wrap_array(pa.array([1, 3, 1], pa.int16()))}).replace_schema_metadata({'a': 'b'}))
        found = pa.table(s)
    assert found.schema.types == [celsius, pa.uint64()] and found.schema.metadata == {b'a': b'b'} and found['count'].to_pylist() == [2, 1]


@pytest.mark.parametrize('kind', [pa.int32(), pa.uint64(), pa.float32(), pa.int16(), pa.timestamp('ns'), pa.duration('ms'),
                                  pa.binary(4), pa.decimal128(25, 1), pa.time32('s')])
def test_column__alone(kind):
    numbers = np.random.default_rng(2).integers(0, 10_000, COUNT)
    column = pa.array([b'%04d' % i for i in numbers]) if pa.types.is_binary(kind) or kind == pa.binary(4) else pa.array(
        numbers.tolist() if pa.types.is_decimal(kind) else numbers.astype('i4' if pa.types.is_time(kind) else 'i8'))
    column = column.cast(kind)
    for keys, order in ((None, 'ascending'), ('-value', 'descending')):
        with gs.Sorter(key=keys) as s:
            s.push(column)
            found = pa.chunked_array(s)
        assert found.type == kind and found.combine_chunks().equals(pa.table({'x': column}).sort_by([('x', order)])['x'].combine_chunks())


def test_polars__both_ways():
    frame = pl.DataFrame({'x': np.random.default_rng(3).normal(size=COUNT), 'y': np.arange(COUNT), 'z': np.arange(COUNT) % 3 == 0})
    with gs.Sorter(key=['z', '-x']) as s:
        s.push(frame)
        assert pl.DataFrame(s).equals(frame.sort(['z', 'x'], descending=[False, True]))
    with gs.Sorter() as s:
        s.push(frame['x'])
        assert pl.Series(s).to_list() == frame['x'].sort().to_list()


def test_duckdb__both_ways():
    with gs.Sorter(key=['x', '-y']) as s:
        s.push(duckdb.sql(f'SELECT i % 7 AS x, i AS y, (i % 2 = 0) AS z FROM range({COUNT}) t(i)'))
        found = duckdb.sql('SELECT * FROM s').fetchall()
    assert found == sorted(((i % 7, i, i % 2 == 0) for i in range(COUNT)), key=lambda row: (row[0], -row[1]))


@pytest.mark.parametrize('reader', ['pyarrow', 'polars', 'duckdb'])
def test_parquet__larger_than_memory__by_a_column(tmp_path, reader):
    count = 1_000_000
    rng = np.random.default_rng(4)
    table = pa.table({'price': rng.normal(size=count), 'place': np.arange(count, dtype='u4')})
    pq.write_table(table, tmp_path / 'x.parquet', row_group_size=100_000)
    with gs.Sorter(key='-price', memory='12M', temp=tmp_path) as s:
        if reader == 'pyarrow':
            for batch in pq.ParquetFile(tmp_path / 'x.parquet').iter_batches():
                s.push(batch)
        elif reader == 'polars':
            s.push(pl.read_parquet(tmp_path / 'x.parquet'))
        else:
            s.push(duckdb.sql(f"SELECT * FROM '{tmp_path}/x.parquet'"))
        if reader == 'duckdb':
            duckdb.sql(f"COPY (SELECT * FROM s) TO '{tmp_path}/y.parquet'")
        else:
            batches = pa.RecordBatchReader.from_stream(s)
            with pq.ParquetWriter(tmp_path / 'y.parquet', batches.schema) as out:
                for batch in batches:
                    out.write_batch(batch)
        assert s.report().spilled_bytes > 0
    assert pq.read_table(tmp_path / 'y.parquet').equals(table.sort_by([('price', 'descending')]))


def test_batches__are_there_after_the_sorter(tmp_path):
    a = np.random.default_rng(7).integers(0, 2 ** 62, 1_000_000)
    with gs.Sorter('i8', memory='12M', temp=tmp_path) as s:
        s.push(a)
        batches = list(pa.RecordBatchReader.from_stream(s))
    del s
    gc.collect()
    assert len(batches) > 2 and (np.concatenate([batch['value'].to_numpy() for batch in batches]) == np.sort(a)).all()


def test_arrays_in__table_out():
    a = np.zeros(1000, [('k', '<i4'), ('when', 'M8[ms]'), ('on', '?'), ('id', 'S3')])
    a['k'], a['id'] = np.arange(1000)[::-1], b'abc'
    with gs.Sorter(a.dtype, key='k') as s:
        s.push(a)
        found = pa.table(s)
    assert found.schema.types == [pa.int32(), pa.timestamp('ms'), pa.bool_(), pa.binary(3)]
    assert found['k'].to_pylist() == list(range(1000))
    with gs.Sorter('f8', unique=True, count=True) as s:
        s.push(np.repeat([2.0, 1.0], 5))
        assert pa.table(s).to_pydict() == {'value': [1.0, 2.0], 'count': [5, 5]}


@pytest.mark.parametrize('kind, unit', [('M8', 'timestamp'), ('m8', 'duration')])
@pytest.mark.parametrize('count', [False, True])
def test_nats__in_fields__are_null_in_a_table(kind, unit, count):
    a = np.zeros(19, [('k', '<i4'), ('when', f'<{kind}[s]'), ('n', f'<{kind}[ms]')])
    a['k'] = a['when'] = np.arange(19)[::-1]
    a['when'][[0, 7]] = 'NaT'
    with gs.Sorter(a.dtype, key='k', unique=count or None, count=count) as s:
        s.push(a)
        found = pa.table(s)
    assert str(found['when'].type).startswith(unit) and found.schema.field('when').nullable and not found.schema.field('k').nullable
    assert found['n'].null_count == 0 and found['when'].null_count == 2
    assert found['when'].cast(pa.int64()).to_pylist() == [None if i in (18, 11) else i for i in range(19)]


CALLS = {
    'Sorter.push': lambda x: gs.Sorter().push(x), 'sort_table': gs.sort_table, 'sorted': gs.sorted, 'argsort': gs.argsort, 'stats': gs.stats,
    'check': gs.check, 'top': lambda x: gs.top(x, 1)}


@pytest.mark.parametrize('call', CALLS)
@pytest.mark.parametrize('values, kind, said', [
    ([object(), object(), None], pl.Object, 'has Python objects, which have no order'), ([1, 2, None], pl.Int128, 'is Int128 of Polars'),
    ([2 ** 127, 2, 3], pl.UInt128, 'is UInt128 of Polars'), ([[1], [2], None], pl.List(pl.Int128), 'is Int128 of Polars')])
def test_columns_of_polars__that_arrow_has_not__are_refused_in_every_call(call, values, kind, said):
    """Polars exports objects as their addresses, which are bytes to who reads them."""
    column = pl.Series('x', values, dtype=kind)
    given = [column]
    if call in ('Sorter.push', 'sort_table'):
        given += [column.to_frame(), column.to_frame().with_columns(y=1)]
    if call == 'sort_table':
        given.append(column.to_frame().lazy())
    for x in given:
        with pytest.raises(TypeError, match=rf"^{call}\(\): column 'x' {said}"):
            CALLS[call](x)


class Untyped:
    """A stream whose maker names no type of a column, as DuckDB does with states of aggregates."""

    def __arrow_c_stream__(self, requested_schema=None):
        def fill(address, into, answer=None):
            schema = arrow_c.ArrowSchema.from_address(address)
            child = arrow_c.ArrowSchema()
            arrow_c.fill_schema(child, b'l', b'x', 0, b'')
            child.format = None
            arrow_c.fill_schema(schema, b'+s', b'', 0, b'', [child])
        return arrow_c.stream_capsule(types.SimpleNamespace(error=None, fill_schema=lambda address: fill(address, None), fill_next=None))


@pytest.mark.parametrize('call', [gs.sort_table, lambda x: gs.Sorter().push(x)])
def test_column__without_a_type__is_refused(call):
    with pytest.raises(TypeError, match="column 'x' was exported without a type"):
        call(Untyped())


ENUMS = "SELECT x::ENUM('z', 'a', 'm') AS e, i FROM (VALUES ('a', 1), ('z', 2), ('m', 3), (NULL, 4), ('a', 5)) t(x, i)"


@pytest.mark.parametrize('key, want', [('e', [2, 1, 5, 3, 4]), ('-e', [3, 1, 5, 2, 4])])
def test_enums_of_duckdb__have_their_order(key, want):
    assert want[:4] == [row[0] for row in duckdb.sql(f"SELECT i FROM ({ENUMS}) ORDER BY e {'DESC' * (key[0] == '-')} NULLS LAST, i").fetchall()][:4]
    for found in sorted_by(duckdb.sql(ENUMS), key), gs.sort_table(duckdb.sql(ENUMS), key).read_all():
        assert found['i'].to_pylist() == want and found.schema.field('e').type == pa.dictionary(pa.uint8(), pa.string(), ordered=True)


def test_enums_of_duckdb__whose_order_is_lost__are_warned_of():
    table = pa.table(duckdb.sql(ENUMS))
    for call in (lambda: sorted_by(table, 'e'), lambda: gs.sort_table(table, 'e').read_all()):
        with pytest.warns(gs.NoteWarning, match="^column 'e' is sorted by its values, .* enum of DuckDB") as told:
            assert call()['i'].to_pylist() == [1, 5, 3, 2, 4]
        assert [warning.filename for warning in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        gs.sort_table(table, 'i').read_all()
        for other in table['e'].cast(pa.string()).combine_chunks().dictionary_encode(), pl.Series(['b', 'a'], dtype=pl.Categorical):
            gs.sorted(other)


@pytest.mark.parametrize('word', ['HUGEINT', 'BIT'])
def test_opaque_types__are_no_keys(word):
    """Their bytes have another order."""
    with duckdb.connect() as duck:
        duck.execute('SET arrow_lossless_conversion = true')
        query = f"SELECT i::{word} AS x, i AS y FROM range(300) t(i)" if word == 'HUGEINT' else "SELECT '101'::BIT AS x, 1 AS y"
        for call in (lambda x, key: sorted_by(x, key), lambda x, key: gs.sort_table(x, key).read_all()):
            with pytest.raises(TypeError, match="'x' cannot be a key"):
                call(pa.table(duck.sql(query)), 'x')
            assert call(pa.table(duck.sql(query)), '-y').num_columns == 2


@pytest.mark.parametrize('kind', ['f2', 'f4', 'f8'])
@pytest.mark.parametrize('keys', [['x', 'y'], ['-x', 'y'], ['x', '-y']])
def test_zeros_and_nans__have_one_order_everywhere(kind, keys):
    rng = np.random.default_rng(4)
    x = rng.choice(np.array([0.0, -0.0, np.nan, -np.nan, 1, -1], kind), 300)
    rows = np.zeros(300, [('x', kind), ('y', 'i8')])
    rows['x'], rows['y'] = x, rng.permutation(300)
    want = gs.sorted(rows, order=keys)['y'].tolist()
    table = pa.table({'x': x, 'y': rows['y']})
    coded = table.set_column(0, 'x', pa.DictionaryArray.from_arrays(pa.array(np.arange(300), pa.int32()), pa.array(x)))
    for found in (sorted_by(table, keys), sorted_by(table, keys, nulls='last'), pa.table(gs.sort_table(table, keys)),
                  pa.table(gs.sort_table(pl.DataFrame(table), keys)) if kind != 'f2' else None):
        assert found is None or found['y'].to_pylist() == want
    if kind == 'f8':
        of_zeros = pc.equal(table['x'], 0)
        assert pa.table(gs.sort_table(coded.filter(of_zeros), keys))['y'].to_pylist() == pa.table(gs.sort_table(table.filter(of_zeros), keys))['y'].to_pylist()


OTHERS = [(pa.array(['b', 'a']), 'fixed width'), (pa.array([1, None]), 'nulls'), (pa.array([True, None]), 'nulls'), (pa.array([[1], None]), 'fixed width'),
          (pa.array(['a', 'b']).dictionary_encode(), 'dictionary'), (pa.array([decimal.Decimal(1), None], pa.decimal256(50)), 'fixed width'),
          (pa.array([b'', b''], pa.binary(0)), 'width 0')]


@pytest.mark.parametrize('column, text', OTHERS)
@pytest.mark.parametrize('options', [{'unique': True}, {'top': 1}, {'count': True, 'unique': True}])
def test_table__of_any_columns__is_refused_with_what_it_does_not_go_with(column, text, options):
    with gs.Sorter(key='y', **options) as s, pytest.raises((TypeError, ValueError), match=f"^{min(options)}: column 'x'.*{text}"):
        s.push(pa.table({'x': column, 'y': np.arange(len(column))}))


@pytest.mark.parametrize('column, text', OTHERS)
def test_table__of_any_columns__without_pyarrow__says_what_would_take_it(column, text, monkeypatch):
    for name in [name for name in sys.modules if name.startswith('libgsort.tables')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    with gs.Sorter(key='y') as s, pytest.raises((TypeError, ValueError), match=rf"'x'.*{text}.*pip install libgsort\[tables\]"):
        s.push(pa.table({'x': column, 'y': np.arange(len(column))}))


def test_nulls__where_a_dtype_is_given__are_refused():
    with gs.Sorter('i8') as s, pytest.raises(ValueError, match='nulls'):
        s.push(pa.array([1, None]))


@pytest.mark.parametrize('column', [column for column, _ in OTHERS])
def test_table__of_any_columns__both_ways(column):
    table = pa.table({'x': column, 'y': np.arange(len(column))}).replace_schema_metadata({'a': 'b'})
    with gs.Sorter(key='y', reverse=True) as s:
        s.push(table)
        s.push(table.to_batches()[0])
        found = pa.table(s)
        assert found.schema.equals(table.schema, check_metadata=True) and found.equals(table.take([1, 1, 0, 0]))
        assert s.table_report.rows == 4
        with pytest.raises(OSError, match='read already'):
            pa.table(s)
        for call in (s.pull, s.report, lambda: s.rank(0), lambda: s.push(np.zeros(1, 'i8')), lambda: s.push(table)):
            with pytest.raises(gs.UsageError):
                call()
    with pytest.raises(gs.UsageError, match='closed'):
        s.push(table)


def some_nulls(count, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table({'x': pa.array(rng.integers(0, 99, count), mask=rng.random(count) < 0.1), 'place': np.arange(count)})


@pytest.mark.parametrize('nulls', [None, 'first', 'last'])
@pytest.mark.parametrize('alone', [False, True])
def test_nulls__that_come_late__as_if_they_had_come_first(nulls, alone, tmp_path):
    """Rows that were pushed before are sorted again; equal ones keep their order."""
    late, early = some_nulls(50_000), some_nulls(50_000, 2)
    early = early.set_column(0, 'x', early['x'].fill_null(7))
    with gs.Sorter(key=None if alone else '-x', reverse=alone, nulls=nulls, memory='32M', temp=tmp_path) as s:
        for table in (early, early, late, early):
            s.push(table['x'] if alone else table)
        assert (s.table_report is None) == (s.dtype is not None) and s.dtype is None
        found = pa.chunked_array(s) if alone else pa.table(s)
    both = pa.concat_tables([early, early, late, early])
    order = sorted(range(len(both)), key=lambda i, x=both['x'].to_pylist(): (x[i] is not None, -(x[i] or 0)) if nulls == 'first' else (x[i] is None, -(x[i] or 0)))
    want = both.take(order)
    assert found.to_pylist() == want['x'].to_pylist() if alone else found.equals(want)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize('first', [[3, 1], ['c', 'a']])
def test_keys__that_are_read_once__are_those_of_what_comes_late(first):
    with gs.Sorter(key=iter(['y'])) as s:
        s.push(pa.table({'x': first, 'y': [1, 2]}))
        s.push(pa.table({'x': pa.array([None, first[1]]), 'y': [4, 3]}))
        assert pa.table(s)['y'].to_pylist() == [1, 2, 3, 4]


def test_nulls__in_what_the_first_table_has_without__are_refused():
    table = pa.table({'x': ['b', 'a'], 'y': [1, 2]})
    strict = table.cast(pa.schema([pa.field('x', pa.string(), nullable=False), table.schema.field('y')]))
    late = pa.table({'x': pa.array([None, 'c']), 'y': [None, 3]})
    with gs.Sorter(key='x') as s:
        s.push(strict)
        s.push(table)
        with pytest.raises(ValueError, match="column 'x' has nulls, but is 'not null' in the schema of the first table"):
            s.push(late)
        s.push(late.slice(1))
        found = pa.table(s)
    found.validate(full=True)
    assert found.schema == strict.schema and found['x'].to_pylist() == ['a', 'a', 'b', 'b', 'c']
    with gs.Sorter(key='x') as s:
        s.push(late.slice(0, 0))
        s.push(strict)
        s.push(late)
        assert pa.table(s)['x'].to_pylist() == ['a', 'b', 'c', None]


FORKS = '''
import os, signal
import pyarrow as pa
import libgsort as gs

table = pa.table({'x': ['b', None, 'a'], 'y': [1, 2, 3]})
with gs.Sorter(key='x') as s:
    s.push(table)
    opened = pa.RecordBatchReader.from_stream(s)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # what hangs is killed
        s._one_batch.acquire()  # as a thread of the parent may have it
        for call, error in (lambda: s.push(table), gs.UsageError), (s.__arrow_c_stream__, gs.UsageError), (opened.read_all, OSError):
            try:
                call()
                os._exit(3)
            except error as failure:
                assert 'forked from it; open a new' in str(failure), failure
        s._table_stream.sorter.shown.end = lambda: os._exit(4)  # as of numbers
        s.close()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert opened.read_all()['x'].to_pylist() == ['a', 'b', None]
'''


def test_table__of_any_columns__in_a_child_of_fork__is_the_parents():
    told = subprocess.run([sys.executable, '-W', 'ignore', '-c', FORKS], capture_output=True, text=True, check=False)
    assert told.returncode == 0 and told.stderr == '', told.stderr


@pytest.mark.parametrize('kind', ['f2', 'f4', 'f8'])
@pytest.mark.parametrize('key', ['x', '-x', ['x', '-y'], None])
@pytest.mark.parametrize('reverse', [False, True])
def test_nulls__that_come_late__leave_zeros_and_nans_where_they_are_without(kind, key, reverse):
    rng = np.random.default_rng(3)
    values = np.array([0.0, -0.0, np.nan, -np.nan, np.nan, 1, -np.inf], kind)
    values.view(f'u{kind[1]}')[4] |= 1
    x = [rng.choice(values, 500) for _ in range(3)]
    tables = [pa.table({'x': part, 'y': rng.choice(values, 500)}) for part in x]
    if key is not None:
        tables = [table.append_column('place', pa.array(np.arange(500) + 500 * i)) for i, table in enumerate(tables)]

    def order(*pushed):
        with gs.Sorter(key=key, reverse=reverse) as s:
            for table in pushed:
                s.push(table)
            found = pa.table(s)
        found = found.filter(found['x'].is_valid())
        return [column.to_numpy().tobytes() for column in found.columns]
    null = pa.table([pa.nulls(1, kind.type) for kind in tables[0].schema], tables[0].schema.names)
    want = order(*tables)
    for at in range(4):
        assert order(*tables[:at], null, *tables[at:]) == want


def test_table__of_any_columns__larger_than_memory_by_many_threads(tmp_path):
    count, batches = 0, []
    rng = np.random.default_rng(5)
    for _ in range(40):
        names = pa.array([None if i % 7 == 0 else f'name {i}' for i in rng.integers(0, 10 ** 6, 10_000).tolist()])
        batches.append(pa.record_batch({'name': names, 'place': np.arange(count, count + 10_000), 'text': ['t' * 60] * 10_000}))
        count += 10_000
    with gs.Sorter(key=['name', 'place'], memory='32M', temp=tmp_path, threads=2) as s:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(s.push, batches))
        found = pa.table(s)
        assert s.table_report.spilled_bytes > 0 and s.table_report.rows == count
    assert found.equals(pa.Table.from_batches(batches).sort_by([('name', 'ascending'), ('place', 'ascending')]))


@pytest.mark.parametrize('how', ['sorter', 'cancel'])
def test_table__of_any_columns__is_canceled(how):
    cancel = gs.Cancel()
    with gs.Sorter(key='x', cancel=cancel) as s:
        s.push(some_nulls(1000))
        (s if how == 'sorter' else cancel).cancel()
        with pytest.raises(gs.CanceledError):
            s.push(some_nulls(1000))
        with pytest.raises(OSError, match='canceled'):
            pa.table(s)


def test_nulls__of_a_dtype__are_refused():
    with pytest.raises(TypeError, match='nulls: only for tables'):
        gs.Sorter('f8', nulls='last')


class Uncounted:
    """A batch whose maker does not know how many nulls are in its first column."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        capsules = self.batch.__arrow_c_array__()
        array = arrow_c.ArrowArray.from_address(arrow_c.capsule_address(capsules[1], b'arrow_array'))
        array.children[0].contents.null_count = -1
        return capsules


def test_batch__nulls_that_nobody_counted__are_those_of_the_slice():
    column = pa.array([None, *range(9), None])
    with gs.Sorter(key='x') as s:
        s.push(Uncounted(pa.record_batch({'x': column[1:10]})))
        assert pa.table(s).to_pydict() == {'x': list(range(9))}
    with gs.Sorter(key='x') as s:
        s.push(Uncounted(pa.record_batch({'x': column[2:]})))
        assert pa.table(s).to_pydict() == {'x': [*range(1, 9), None]}


def test_table__other_columns_or_keys__are_refused():
    with gs.Sorter(key='x') as s:
        s.push(pa.table({'x': [1], 'y': [2.0]}))
        with pytest.raises(TypeError, match='other columns'):
            s.push(pa.table({'x': [1], 'z': [2.0]}))
        with pytest.raises(gs.UsageError, match='Arrow'):
            s.push(np.zeros(1, s.dtype))
    with gs.Sorter(key='z') as s, pytest.raises(ValueError, match="'z' is not a column of the table; it has x, y"):
        s.push(pa.table({'x': [1], 'y': [2]}))
    with gs.Sorter('f8') as s, pytest.raises(TypeError, match='the sorter accepts float64'):
        s.push(pa.table({'x': [1], 'y': [2]}))


def test_array_and_table__do_not_go_together():
    array, table = pa.array([3, 1, 2]), pa.table({'value': [5, 4]})
    for first, other in ((array, table), (table, array)):
        with gs.Sorter() as s:
            s.push(first)
            with pytest.raises(TypeError, match='other columns than the first one'):
                s.push(other)


@pytest.mark.parametrize('keys, want', [(None, [1, 2, 3]), ('1', [3, 1, 2]), ('-1', [2, 1, 3]), (['-0'], [3, 2, 1])])
def test_table__columns_named_by_digits__are_keys(keys, want):
    """As pandas names them by default."""
    found = sorted_by(pa.table([[1, 2, 3], [8, 9, 7]], ['0', '1']), keys)
    assert found['0'].to_pylist() == want and found.column_names == ['0', '1']


@pytest.mark.parametrize('key, name, want', [('d', '8:i64', [1, 2, 3]), ('d', '0:u64', [1, 2, 3]), ('-d', '8:i64:desc', [3, 2, 1]), ('-d', '9:i64', [3, 2, 1])])
def test_table__a_decimal_beside_a_column_named_like_a_place__is_the_key(key, name, want):
    table = pa.table({'d': pa.array([decimal.Decimal(3), decimal.Decimal(1), decimal.Decimal(2)], pa.decimal128(10, 0)), name: [9, 8, 7]})
    assert [int(number) for number in sorted_by(table, key)['d'].to_pylist()] == want


def test_table__a_column_without_a_name__keeps_it():
    table = pa.table([[1, 2, 3], [8, 9, 7]], ['', 'x'])
    assert sorted_by(table, 'x').to_pydict() == {'': [3, 1, 2], 'x': [7, 8, 9]}
    assert sorted_by(table, ['-']).to_pydict() == {'': [3, 2, 1], 'x': [7, 9, 8]}
    assert sorted_by(table.select(['']), None).to_pydict() == {'': [1, 2, 3]}
    assert sorted_by(table, None, unique=True, count=True).column_names == ['', 'x', 'count']


@pytest.mark.parametrize('names', [['count'], ['x', 'count']])
def test_table__with_a_column_count__is_refused_at_once_where_one_is_made(names):
    with gs.Sorter(unique=True, count=True) as s, pytest.raises(gs.UsageError, match="^count: the elements already have a field 'count'"):
        s.push(pa.table([[1]] * len(names), names))


def rows_of(a, **how):
    return pa.StructArray.from_arrays([pa.array(a), pa.array([1, 2, 3])], ['a', 'b'], **how).slice(1)


def test_slice_of_structs__has_the_nulls_of_its_own_rows():
    for a, want, is_any in (([None, 3, 2], [2, 3], False), ([9, 3, None], [3, None], True), (['z', 'y', 'x'], ['x', 'y'], True)):
        with gs.Sorter(key='a') as s:
            s.push(rows_of(a))
            assert (s.table_report is not None) == is_any
            assert pa.table(s)['a'].to_pylist() == want
    with gs.Sorter(key='a') as s:
        s.push(rows_of(['z', 'y', 'x'], mask=pa.array([True, False, False])))
        assert pa.table(s).to_pydict() == {'a': ['x', 'y'], 'b': [3, 2]}
    with gs.Sorter(key='a') as s, pytest.raises(ValueError, match='1 rows are null as a whole'):
        s.push(rows_of(['z', 'y', 'x'], mask=pa.array([False, False, True])))


@pytest.mark.parametrize('a', [['z', 'y', 'x'], [3, 2, None], [3, None, 1], [3, 2, 1]])
@pytest.mark.parametrize('length', [0, 1, 2])
def test_slice_of_structs__from_the_first_row__has_no_further_ones(a, length):
    """Its columns are longer than it is."""
    rows = pa.StructArray.from_arrays([pa.array(a), pa.array([1, 2, 3])], ['a', 'b']).slice(0, length)
    for order in (sorted_by(rows, 'b'), sorted_by(rows, 'b', nulls='last'), pa.table(gs.sort_table(Uncounted(rows), 'b'))):
        assert order.to_pydict() == {'a': a[:length], 'b': [1, 2, 3][:length]}


@pytest.mark.parametrize('names', [['', ''], ['', 'f0'], ['f0', ''], ['x', 'x']])
def test_table__of_names_that_are_several_columns__by_another_one(names):
    table = pa.table([[3, 1, 2], [4, 5, 6], [1, 3, 2]], [*names, 'y'])
    assert sorted_by(table, '-y').equals(table.take([1, 2, 0]))
    with gs.Sorter(key='y', unique=True) as s, pytest.raises(TypeError, match='unique: .* is the name of several columns'):
        s.push(table)
    if len(set(names)) == 1:
        with gs.Sorter() as s, pytest.raises(ValueError, match='is the name of 2 columns; a key must name one'):
            s.push(table)


class Unspeakable(Exception):
    def __str__(self):
        raise self


@pytest.mark.parametrize('error, text', [
    (FileNotFoundError(os.fsdecode(b'\xff')), r'FileNotFoundError: \\udcff'), (Unspeakable(), 'the stream failed')])
def test_stream__whatever_the_failure_says__does_not_end_as_if_whole(error, text, monkeypatch):
    def fail(*at):
        if isinstance(at[0], gs.Sorter) or at[0].phase != 'read':
            raise error
    with gs.Sorter(progress=fail) as s, pytest.raises(OSError, match=text):
        s.push(pa.table({'x': ['b', None, 'a']}))
        pa.table(s)
    monkeypatch.setattr(gs.Sorter, 'take_order', fail)
    with gs.Sorter() as s, pytest.raises(OSError, match=text):
        s.push(pa.table({'x': [2, 1]}))
        pa.table(s)


@pytest.mark.parametrize('column', [list(range(5000)), [str(i) for i in range(5000)]])
def test_stream__that_has_failed__does_not_end_as_if_whole(column, monkeypatch):
    """Also if Ctrl-C interrupts after a batch was pulled and before it was returned."""
    def fail(*_, **__):
        raise KeyboardInterrupt
    with gs.Sorter() as s:
        s.push(pa.table({'x': column}))
        reader = pa.RecordBatchReader.from_stream(s)
        with monkeypatch.context() as patched:
            patched.setattr(arrow_c, 'fill_array', fail)
            patched.setattr(TableStream, 'next', fail)
            with pytest.raises(OSError, match='KeyboardInterrupt'):
                reader.read_next_batch()
        for _ in range(2):
            with pytest.raises(OSError, match='KeyboardInterrupt'):
                reader.read_next_batch()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_stream__interrupted_before_its_first_line__is_not_at_its_end():
    """Python looks for signals at the callback's first line, where nothing of it can catch what they raise."""
    with gs.Sorter(key='k') as sorter:
        sorter.push(pa.table({'k': [2, 1]}))
        capsule = sorter.__arrow_c_stream__()
        address = arrow_c.capsule_address(capsule, arrow_c.STREAM_NAME)
        array = arrow_c.ArrowArray()
        get_next = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(arrow_c.ArrowArrayStream.from_address(address).get_next)
        interrupt = ctypes.PYFUNCTYPE(None)(('PyErr_SetInterrupt', ctypes.pythonapi))
        both = [functools.partial(interrupt), functools.partial(get_next, address, ctypes.addressof(array))]
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            answers = list(map(functools.partial.__call__, both))  # no line of Python between them
        except KeyboardInterrupt:
            answers = [None, 5]  # the signal was too early for this test
        finally:
            signal.signal(signal.SIGINT, before)
        assert answers[1] == 5 and not array.release  # EIO; 0 and no array would be the end
        assert get_next(address, ctypes.addressof(array)) == 0 and array.length == 2
        arrow_c.release(array)


def test_stream__is_read_once__and_failures_come_through():
    with gs.Sorter() as s:
        s.push(pa.table({'x': [2, 1]}))
        assert pa.RecordBatchReader.from_stream(s).schema.names == ['x']  # not read
        assert pa.table(s)['x'].to_pylist() == [1, 2]
        with pytest.raises(OSError, match='read already'):
            pa.table(s)

    def fails():
        yield pa.record_batch({'x': [1]})
        raise ValueError('no more of it')
    class Stream:
        def __init__(self, reader):
            self.__arrow_c_stream__ = reader.__arrow_c_stream__
    for error, stream in (ValueError, lambda reader: reader), (OSError, Stream):
        with gs.Sorter() as s, pytest.raises(error, match='no more of it'):
            s.push(stream(pa.RecordBatchReader.from_batches(pa.schema([('x', pa.int64())]), fails())))


def test_stream__without_what_gives_it_back__is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv('LIBGSORT_LIBRARY', str(tmp_path / 'libgsort.so.0'))
    arrow_c._library.cache_clear()
    with gs.Sorter('f8') as s:
        s.push(np.ones(3))
        with pytest.raises(ImportError, match='libgsort_arrow.so'):
            s.__arrow_c_stream__()
    arrow_c._library.cache_clear()
    gc.collect()
    assert len(arrow_c.ALIVE) == 0


def test_capsule__that_nobody_takes__is_released():
    with gs.Sorter('f8') as s:
        s.push(np.ones(3))
        capsule = s.__arrow_c_stream__()
        assert len(arrow_c.ALIVE) == 2
        del capsule
        assert len(arrow_c.ALIVE) == 0
