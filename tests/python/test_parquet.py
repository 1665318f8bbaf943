"""Tests sort_parquet and python -m libgsort."""
import datetime
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import libgsort as gs
from libgsort.__main__ import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def trades(count=30_000, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table({'sym': pa.array([None if i == 0 else f's{i}' for i in rng.integers(0, 99, count).tolist()]),
                     'price': pa.array(rng.integers(0, 50, count) / 4, mask=rng.random(count) < 0.1),
                     'kind': pa.array(rng.choice(['buy', 'sell'], count)).dictionary_encode(),
                     'note': ['n' * 100 + str(i) for i in range(count)],
                     'time': pa.array(rng.permutation(count)).cast(pa.timestamp('us', 'UTC'))}).replace_schema_metadata({'origin': 'a test'})


def test_file__larger_than_memory__as_pyarrow_sorts_it():
    table = trades(400_000)
    pq.write_table(table, 'in.parquet', row_group_size=20_000, compression={'sym': 'zstd', 'price': 'none', 'kind': 'snappy', 'note': 'zstd', 'time': 'lz4'},
                   write_page_index=True)
    report = gs.sort_parquet('in.parquet', 'out.parquet', ['price', '-time'], '64M')
    found = pq.ParquetFile('out.parquet')
    assert found.schema_arrow.equals(table.schema, check_metadata=True)
    assert found.read().equals(table.sort_by([('price', 'ascending'), ('time', 'descending')]))
    assert report.rows == 400_000 and report.runs > 1 and report.spilled_bytes > 0 and report.memory == 64 << 20
    group = found.metadata.row_group(0)
    assert [group.column(i).compression for i in range(5)] == ['ZSTD', 'UNCOMPRESSED', 'SNAPPY', 'ZSTD', 'LZ4']
    assert group.column(1).statistics.has_min_max and group.column(1).has_offset_index
    assert group.sorting_columns == (pq.SortingColumn(1), pq.SortingColumn(4, descending=True))
    assert {found.metadata.row_group(i).num_rows for i in range(found.metadata.num_row_groups - 1)} == {20_000}
    assert sorted(os.listdir()) == ['in.parquet', 'out.parquet']


@pytest.mark.parametrize('keys, columns', [
    ('a', ()), (['x', '-a', 'y'], (0,)), (['x', 'b', '-y'], (0, 2, 3)), (['b', 'a'], (2,))])
def test_order_that_is_told__ends_where_values_have_none(keys, columns):
    """An ordered dictionary is sorted by its places, and readers take what is told for an order of values."""
    words = [pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int8()), ['low', 'high'], ordered=is_ordered)
             for is_ordered in (True, False)]
    pq.write_table(pa.table({'x': [2, 1, 2, 1], 'a': words[0], 'b': words[1], 'y': [1, 2, 3, 4]}), 'in.parquet')
    gs.sort_parquet('in.parquet', 'out.parquet', keys)
    assert pq.read_table('out.parquet').schema.field('a').type.ordered
    told = pq.read_metadata('out.parquet').row_group(0).sorting_columns
    assert tuple(column.column_index for column in told) == columns
    assert [column.descending for column in told] == [f'-{"xaby"[i]}' in keys for i in columns]


@pytest.mark.parametrize('first, columns', [([0.0, 1.0], (0, 1)), ([0.0, -0.0], (0,)), ([np.nan, 1.0], (0, 1)), ([np.nan, -np.nan], (0,))])
def test_order_that_is_told__ends_where_readers_have_another_one(first, columns):
    """-0 and 0, and NaNs of other bits, are two here and one there."""
    pq.write_table(pa.table({'x': np.array(first * 3), 'y': np.arange(6)}), 'in.parquet')
    gs.sort_parquet('in.parquet', 'out.parquet', ['x', 'y'])
    assert tuple(column.column_index for column in pq.read_metadata('out.parquet').row_group(0).sorting_columns) == columns


def test_row_groups_and_compression__chosen():
    pq.write_table(trades(1000), 'in.parquet')
    gs.sort_parquet('in.parquet', 'out.parquet', 'time', row_group_size=300, compression='zstd', compression_level=3)
    meta = pq.read_metadata('out.parquet')
    assert [meta.row_group(i).num_rows for i in range(4)] == [300, 300, 300, 100] and meta.row_group(0).column(0).compression == 'ZSTD'


def test_files__several__into_one_of_them():
    parts = [trades(1000, seed) for seed in range(3)]
    for i, part in enumerate(parts):
        pq.write_table(part, f'{i}.parquet')
    os.chmod('1.parquet', 0o640)
    os.symlink('1.parquet', 'link')
    gs.sort_parquet(['0.parquet', '1.parquet', '2.parquet'], 'link', ['sym', 'kind'], nulls='first')
    found = pq.read_table('1.parquet')
    table = pa.concat_tables(parts).unify_dictionaries()
    order = sorted(range(3000), key=lambda i: ((table['sym'][i].as_py() or '').encode(), table['kind'][i].as_py()))
    assert found.to_pylist() == table.take(order).to_pylist()
    assert os.path.islink('link') and os.stat('1.parquet').st_mode & 0o777 == 0o640


@pytest.mark.parametrize('rows', [0, 1])
def test_file__of_no_rows_or_one(rows):
    pq.write_table(trades(1).slice(0, rows), 'in.parquet')
    assert gs.sort_parquet('in.parquet', 'out.parquet', 'sym').rows == rows
    assert pq.read_table('out.parquet').equals(trades(1).slice(0, rows))


def test_nested_columns__are_carried():
    table = pa.table({'x': [2, 1], 'l': [[{'a': 'b'}], None], 's': [{'p': 1, 'q': ['z']}, None]})
    pq.write_table(table, 'in.parquet')
    gs.sort_parquet('in.parquet', 'out.parquet', 'x')
    assert pq.read_table('out.parquet').equals(table.take([1, 0]))


class Pair(pa.ExtensionType):
    def __init__(self):
        super().__init__(pa.struct([('p', pa.int32()), ('q', pa.int32())]), 'test.pair')

    def __arrow_ext_serialize__(self):
        return b''

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


def test_order_that_is_told__names_columns_of_the_file_or_none():
    """Columns with inner columns precede it, also of an extension type. Readers would take its number for the number of another column."""
    pa.register_extension_type(Pair())
    try:
        pairs = pa.array([{'p': 1, 'q': 9}, {'p': 2, 'q': 8}], Pair().storage_type)
        for first in pairs, pa.ExtensionArray.from_storage(Pair(), pairs):
            table = pa.table({'pair': first, 'x': [2, 1]})
            pq.write_table(table, 'in.parquet')
            gs.sort_parquet('in.parquet', 'out.parquet', 'x')
            assert pq.read_table('out.parquet').equals(table.take([1, 0]))
            assert pq.read_metadata('out.parquet').row_group(0).sorting_columns == ()
    finally:
        pa.unregister_extension_type('test.pair')


def test_labels_of_pandas__that_are_a_range__are_not_those_of_other_rows():
    frame = pd.DataFrame({'x': [3, 1, 2], 'y': [3, 1, 2]}, index=pd.RangeIndex(10, 13))
    for made in frame, frame.set_index('y'):
        made.to_parquet('in.parquet')
        gs.sort_parquet('in.parquet', 'out.parquet', 'x')
        assert pd.read_parquet('out.parquet').equals(frame.sort_values('x').reset_index(drop=True) if made is frame else made.sort_values('x'))


@pytest.mark.parametrize('kind, value_of', [
    (pa.timestamp('us'), lambda time: time), (pa.list_(pa.timestamp('us')), lambda time: [None, time]),
    (pa.struct([('a', pa.timestamp('us')), ('b', pa.int32())]), lambda time: {'a': time, 'b': 1}),
    (pa.map_(pa.string(), pa.timestamp('us')), lambda time: [('a', time)])])
def test_times_of_int96__that_nanoseconds_do_not_hold__are_refused(kind, value_of):
    """Pyarrow reads other times instead."""
    def write(name, *years):
        times = [None, *(datetime.datetime(year, 12, 31) for year in years)]
        table = pa.table({'x': np.arange(len(times))[::-1], 't': pa.array(map(value_of, times), kind)})
        pq.write_table(table, name, use_deprecated_int96_timestamps=True)
        return table['t'].to_pylist()[::-1]
    write('near.parquet', 2000, 1700, 2261)
    gs.sort_parquet('near.parquet', 'out.parquet', 'x')
    assert str(pq.read_table('out.parquet')['t'].to_pylist()) == str(pq.read_table('near.parquet')['t'].to_pylist()[::-1])
    for year in (9999, 1):
        want = write('far.parquet', 2000, year)
        refused(gs.InputError, "'far.parquet': column 't' has an INT96 time outside of 1677..2262", ['near.parquet', 'far.parquet'], 'out.parquet', 'x')
        read = pq.read_table('far.parquet', coerce_int96_timestamp_unit='us')
        assert gs.sort_table(read, 'x').read_all()['t'].to_pylist() == want


def refused(error, text, *arguments, **options):
    with open('out.parquet', 'wb') as file:
        file.write(b'old')
    with pytest.raises(error, match=text):
        gs.sort_parquet(*arguments, **options)
    with open('out.parquet', 'rb') as file:
        assert file.read() == b'old'
    assert [name for name in os.listdir() if name.startswith('.')] == []


def test_names__are_paths_of_any_kind():
    table = trades(100)
    pq.write_table(table, 'in.parquet')
    for src, dst in (pathlib.Path('in.parquet'), pathlib.Path('a')), (b'in.parquet', b'b'), ([b'in.parquet'], 'c'):
        gs.sort_parquet(src, dst, 'time')
        assert pq.read_table(os.fsdecode(dst)).equals(table.sort_by('time'))


def test_what_cannot_be__leaves_an_old_output():
    pq.write_table(trades(1000), 'in.parquet')
    pq.write_table(pa.table({'y': [1]}), 'other.parquet')
    with open('text', 'w') as file:
        file.write('no Parquet' * 9)
    refused(FileNotFoundError, "'none.parquet': cannot open", 'none.parquet', 'out.parquet')
    refused(gs.InputError, "'text': is not a Parquet file", 'text', 'out.parquet')
    refused(TypeError, "'other.parquet': has other columns than 'in.parquet'", ['in.parquet', 'other.parquet'], 'out.parquet')
    refused(ValueError, "'z' is not a column of the table; it has sym, price", 'in.parquet', 'out.parquet', 'z')
    refused(gs.FileError, 'is not a regular file', 'in.parquet', '/dev/null')
    refused(FileNotFoundError, "nowhere/out.parquet': cannot write", 'in.parquet', 'nowhere/out.parquet')
    refused(ValueError, 'row_group_size: 0 is less than 1', 'in.parquet', 'out.parquet', row_group_size=0)
    refused(ValueError, 'no input is given', [], 'out.parquet')
    refused(FileNotFoundError, "'none.parquet': cannot open: No such file or directory$", 'none.parquet', 'out.parquet')
    refused(ValueError, "'nosuch://b/x': ", 'nosuch://b/x', 'out.parquet')
    with open('in.parquet', 'rb') as file:
        refused(TypeError, r'sort_parquet\(\): src: BufferedReader is neither a path', file, 'out.parquet')
    refused(TypeError, r'sort_parquet\(\): src: int is neither a path', 3, 'out.parquet')
    for style, said in (({'compression': 'zstdd'}, "compression: 'zstdd' is not one of: none snappy"), ({'compression': 'bz2'}, "'bz2' is not one of"),
                        ({'compression': 'gzip', 'compression_level': 99}, 'compression_level: 99: '), ({'compression_level': 3}, "compression_level: 3: .*snappy")):
        refused(ValueError, said, 'in.parquet', 'out.parquet', progress=lambda at: pytest.fail('it is read'), **style)


@pytest.mark.parametrize('fails', ['write_table', 'close'])
def test_a_failure_while_it_is_written__leaves_an_old_output(monkeypatch, fails):
    pq.write_table(trades(1000), 'in.parquet')

    def fail(*_, **__):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(pq.ParquetWriter, fails, fail)
    refused(gs.SpaceError, "out.parquet': cannot write: No space left", 'in.parquet', 'out.parquet', 'time')


def test_output_that_lacks_rows__is_refused(monkeypatch):
    pq.write_table(trades(1000), 'in.parquet')
    real = pq.ParquetWriter.write_table
    monkeypatch.setattr(pq.ParquetWriter, 'write_table', lambda self, table, **how: real(self, table.slice(1), **how))
    refused(gs.VerifyError, 'rows that were written differ', 'in.parquet', 'out.parquet', 'time')


def test_new_output__has_the_permissions_of_the_umask__which_no_other_thread_loses(monkeypatch):
    pq.write_table(trades(10), 'in.parquet')
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, 'umask', lambda mask: pytest.fail('it is that of all threads'))
            gs.sort_parquet('in.parquet', 'out.parquet', 'time')
    finally:
        assert os.umask(before) == 0o027
    assert os.stat('out.parquet').st_mode & 0o777 == 0o640


def test_file_systems_without_unnamed_files(monkeypatch):
    pq.write_table(trades(1000), 'in.parquet')
    real = os.open

    def without(path, flags, *mode, **how):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, 'Operation not supported')
        return real(path, flags, *mode, **how)
    monkeypatch.setattr(os, 'open', without)
    gs.sort_parquet('in.parquet', 'out.parquet', 'time')
    assert pq.read_table('out.parquet')['time'].equals(trades(1000).sort_by('time')['time']) and sorted(os.listdir()) == ['in.parquet', 'out.parquet']


def test_progress__comes_to_its_end():
    pq.write_table(trades(1000), 'in.parquet')
    seen = []
    gs.sort_parquet('in.parquet', 'out.parquet', 'time', progress=seen.append)
    assert [at.phase for at in seen if at.bytes_done == at.bytes_total > 0] == ['read', 'write']


def test_cancel__ends_it_at_any_phase():
    pq.write_table(trades(100_000), 'in.parquet')
    for phase in ('read', 'write'):
        cancel = gs.Cancel()
        refused(gs.CanceledError, 'canceled', 'in.parquet', 'out.parquet', 'time', '32M', row_group_size=1000, cancel=cancel,
                progress=lambda at, phase=phase, cancel=cancel: at.phase == phase and cancel.cancel())
    refused(gs.CanceledError, 'canceled', 'in.parquet', 'out.parquet', cancel=cancel)
    refused(TypeError, r'sort_parquet\(\): cancel: bool', 'in.parquet', 'out.parquet', cancel=True)
    with gs.Cancel() as cancel:
        reader = gs.sort_table(trades(100_000), 'time', memory='32M', cancel=cancel)
    with pytest.raises(gs.CanceledError):
        reader.read_all()


def test_command__sorts_and_says_what_is_wrong(capsys, monkeypatch):
    monkeypatch.delenv('ARROW_DEFAULT_MEMORY_POOL', raising=False)
    pq.write_table(trades(1000), 'in.parquet')
    assert main(['sort', 'in.parquet', '-o', 'out.parquet', '--by=-price,time', '--nulls', 'first', '-S', '64M', '--compression', 'none']) == 0
    table = trades(1000)
    order = sorted(range(1000), key=lambda i: (table['price'][i].is_valid, -(table['price'][i].as_py() or 0), table['time'][i].value))
    assert pq.read_table('out.parquet').equals(table.take(order))
    assert capsys.readouterr() == ('', '') and os.environ['ARROW_DEFAULT_MEMORY_POOL'] == 'system'
    assert main(['sort', 'none.parquet', '-o', 'out.parquet', '--by', 'time']) == 2
    assert main(['sort', 'in.parquet', '-o', 'out.parquet', '--by', 'a,b', '--by', 'c']) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("libgsort: 'none.parquet': cannot open") and told[1].startswith("libgsort: 'a,b' is not a column") and len(told) == 2
    assert main(['sort', 'in.parquet', '-o', 'nowhere/out.parquet']) == 3
    assert main(['sort', 'in.parquet', '-o', 'out.parquet', '-S', 'much']) == 2


@pytest.mark.parametrize('call', ['gs.sort_table([], "a")', 'gs.Sorter().push(NULLS())'])
@pytest.mark.parametrize('lacks, advice', [('pyarrow', True), ('numpy.core', False), (None, False)])
def test_pyarrow__is_to_be_installed__only_where_it_is_not(tmp_path, call, lacks, advice):
    """Otherwise its own error says what is wrong. `lacks`: the module that importing pyarrow does not find."""
    (tmp_path / 'pyarrow').mkdir()
    raised = 'ImportError("libfoo.so: cannot open")' if lacks is None else f'ModuleNotFoundError("No module named {lacks}", name={lacks!r})'
    (tmp_path / 'pyarrow' / '__init__.py').write_text(f'raise {raised}\n')
    code = f'import polars\nNULLS = lambda: polars.DataFrame({{"a": [1, None]}})\nimport sys\nsys.path.insert(0, ".")\nimport libgsort as gs\n{call}'
    told = subprocess.run([sys.executable, '-c', code], cwd=tmp_path, capture_output=True, text=True, check=False)
    last = told.stderr.splitlines()[-1]
    assert told.returncode == 1 and ('pip install libgsort[tables]' in last) == advice, told.stderr
    assert advice or (lacks or 'libfoo.so') in last, last


@pytest.mark.parametrize('by', [['--by', '-price'], ['--by=-price'], ['--by', '-price,time'], ['--by', '-price', '--by', '-time']])
def test_command__takes_a_descending_key(by):
    table = trades(1000)
    pq.write_table(table, 'in.parquet')
    assert main(['sort', *by, 'in.parquet', '-o', 'out.parquet']) == 0
    found = pq.read_table('out.parquet')['price'].drop_null().to_pylist()
    assert found == sorted(found, reverse=True) and len(found) > 800


def test_command__of_a_key_without_a_value__is_refused(capsys):
    with pytest.raises(SystemExit, match='2'):
        main(['sort', 'in.parquet', '-o', 'out.parquet', '--by'])
    assert 'argument --by: expected one argument' in capsys.readouterr().err


@pytest.mark.parametrize('module', ['libgsort', 'libgsort.ray', 'libgsort.plot'])
def test_command__says_its_version(module):
    told = subprocess.run([sys.executable, '-m', module, '--version'], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, f'libgsort {gs.__version__}\n'), told.stderr


def test_command__without_pyarrow__says_once_who_speaks(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    assert main(['sort', 'in.parquet', '-o', 'out.parquet']) == 2
    assert re.fullmatch(r"libgsort: [^:]*pyarrow[^:]*; sorting tables needs it: pip install libgsort\[tables\]\n", capsys.readouterr().err)


def test_command__as_a_process():
    pq.write_table(trades(10), 'in.parquet')
    told = subprocess.run([sys.executable, '-m', 'libgsort', 'sort', 'in.parquet', '-o', 'in.parquet', '--by', 'time'], capture_output=True, text=True,
                          check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, '', '')
    assert pq.read_table('in.parquet').equals(trades(10).sort_by('time'))
