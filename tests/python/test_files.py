"""Tests gs.sort_file, merge, stats, check and top on files, with their errors and warnings."""
import copy
import errno
import json
import os
import pickle

import numpy as np
import pytest

import libgsort as gs


@pytest.fixture
def numbers(tmp_path):
    a = np.random.default_rng(1).normal(size=100_000)
    a.tofile(tmp_path / 'x.f64')
    return a


def test_sort_file__makes_a_sorted_file_and_a_report(tmp_path, numbers):
    report = gs.sort_file(tmp_path / 'x.f64', str(tmp_path / 'y.f64'))
    assert (np.fromfile(tmp_path / 'y.f64') == np.sort(numbers)).all()
    assert (report.count, report.type, report.min, report.max) == (100_000, 'f64', numbers.min(), numbers.max())
    assert report.seconds > 0 and report.bytes_per_second > 0 and report.input_bytes == 800_000
    assert len(repr(report)) < 400 and 'phases' not in repr(report) and 'None' not in repr(report) and repr(report).count('(') == 1
    assert [phase.name for phase in report.phases][0] == 'read' and report.details['schema'] == 2


def test_report__of_json__is_the_same_again(tmp_path, numbers):
    report = gs.stats(tmp_path / 'x.f64')
    for text in (json.dumps(report.details), json.dumps(report.details).encode()):
        assert repr(gs.Report.from_json(text)) == repr(report)


def test_reports__are_equal_by_what_they_say():
    a = np.array([2.0, 1.0])
    one, other = gs.stats(a, quantiles=0.5), gs.stats(np.array([2.0, 3.0]), quantiles=0.5)
    again = pickle.loads(pickle.dumps(one))
    assert one == again == copy.deepcopy(one) == gs.Report.from_json(json.dumps(one.details)) and hash(one) == hash(again)
    assert one.min == 1 and one == again  # an attribute that was made does not count
    assert one.quantiles == again.quantiles and one.quantiles[0] in again.quantiles and len({one, again}) == 1
    assert one != other and one != one.quantiles[0] and one.quantiles != other.quantiles and one != 1


@pytest.mark.parametrize('change, said', [
    ({'schema': 1}, 'a report of schema 1, by another version of gsort; this version reads schema 2'),
    ({'schema': 3}, 'a report of schema 3, by another version'), ({'schema': '2'}, "a report of schema '2', by another version"),
    ({'schema': None}, 'a report of schema None, by another version'), ('{"seconds": 1}', 'not a report of gsort$'), ('[2]', 'not a report of gsort$'),
    ('{"schema": 2, "plan": {}}', 'not a report of gsort$'), ('{"schema": 2', 'not a report of gsort: Expecting'), ('', 'not a report of gsort: Expecting')])
def test_report__of_json_of_another_schema__is_refused_in_one_line(tmp_path, numbers, change, said):
    text = change if isinstance(change, str) else json.dumps({**gs.stats(tmp_path / 'x.f64').details, **change})
    with pytest.raises(ValueError, match=said) as refused:
        gs.Report.from_json(text)
    assert str(refused.value).startswith('Report.from_json(): ') and '\n' not in str(refused.value)


def test_sort_file__options__reach_the_library(tmp_path, numbers):
    x, y = tmp_path / 'x.f64', tmp_path / 'y.f64'
    gs.sort_file([x, x], y, reverse=True, memory='12M', threads=1, temp=[tmp_path], compress='zstd:3', io='threads', device='cpu')
    assert (np.fromfile(y) == np.sort(np.tile(numbers, 2))[::-1]).all()
    assert gs.sort_file([x, x], y, unique=True).unique_count == 100_000
    gs.sort_file([x, x], tmp_path / 'counts', unique=True, count=True)
    assert (np.fromfile(tmp_path / 'counts', 'f8,u8')['f1'] == 2).all()
    np.array([(1, 2 ** 31 - 1, 5), (1, 7, 6)], 'i4,i4,i4').tofile(tmp_path / 'pair')
    gs.sort_file(tmp_path / 'pair', tmp_path / 'summed', record=12, key='0:i32', unique=True, sum=['4:i32:wide', '8:i32'])
    assert (tmp_path / 'summed').read_bytes() == np.array([(1, 2 ** 31 - 1, 11, 2 ** 31 + 6)], 'i4,i4,i4,i8').tobytes()
    gs.sort_file(x, y, top=10)
    assert (np.fromfile(y) == np.sort(numbers)[:10]).all()
    assert gs.sort_file(x, tmp_path / 'y.f64.zst', zstd=3, verify='read').output_bytes == 800_000
    assert gs.stats(tmp_path / 'y.f64.zst').sum == gs.stats(x).sum
    gs.sort_file(x, y, resume=tmp_path / 'resume')
    gs.sort_file(x, y, where=['>0', '<1'])
    assert (np.fromfile(y) == np.sort(numbers[(numbers > 0) & (numbers < 1)])).all()
    assert gs.stats(x, where='>0').count == (numbers > 0).sum()
    (tmp_path / 'odd.f64').write_bytes(b'head' + np.array([2.0, 1]).tobytes() + b'tail')
    with pytest.warns(gs.NoteWarning, match='4 bytes'):
        report = gs.sort_file(tmp_path / 'odd.f64', y, header=4, drop_tail=True)
    assert '4 bytes' in report.details['notes'][0]
    assert np.frombuffer(y.read_bytes()[4:]).tolist() == [1, 2]
    (tmp_path / 'plain').write_bytes(x.read_bytes())
    with pytest.raises(ValueError, match="plain': the type of the elements is unknown"):
        gs.stats(tmp_path / 'plain', strict=True)
    assert gs.stats(tmp_path / 'plain', strict=True, type='f64').sum == gs.stats(x, strict=True).sum


def test_inputs__none_and_open_files__are_refused(tmp_path, numbers):
    y = tmp_path / 'y.f64'
    for call in gs.sort_file, gs.merge:
        for inputs in [], None, ():
            with pytest.raises(gs.UsageError, match='no input is given'):
                call(inputs, y)
        with open(tmp_path / 'x.f64', 'rb') as file, pytest.raises(TypeError, match=rf'{call.__name__}\(\): input: BufferedReader is not a path'):
            call(file, y)
    assert not y.exists()


def test_argsort__is_numpys(tmp_path, numbers):
    x, y = tmp_path / 'x.f64', tmp_path / 'order'
    numbers[::3] = 1  # equal ones keep their order
    numbers.tofile(x)
    report = gs.sort_file(x, y, argsort=True)
    assert (np.fromfile(y, 'u8') == np.argsort(numbers, kind='stable')).all()
    assert report.max == numbers.max() and report.details['written']['bytes'] == 8
    np.save(tmp_path / 'x.npy', numbers)
    gs.sort_file(tmp_path / 'x.npy', tmp_path / 'order.npy', argsort='u32', where='>0')
    order = np.load(tmp_path / 'order.npy')
    assert order.dtype == np.uint32 and (order == [i for i in np.argsort(numbers, kind='stable') if numbers[i] > 0]).all()
    with pytest.raises(gs.UsageError, match='u16'):
        gs.sort_file(x, y, argsort='u16')


def test_out__is_fields_of_an_array(tmp_path):
    rows = np.zeros(5000, [('id', '<u4'), ('name', 'S5'), ('price', '>f4'), ('rest', 'V100'), ('when', '<M8[s]')])
    rows['id'], rows['price'], rows['name'] = np.arange(5000), np.random.default_rng(2).normal(size=5000), b'abc'
    np.save(tmp_path / 'x.npy', rows)
    gs.sort_file(tmp_path / 'x.npy', tmp_path / 'y.npy', key=['price'], out=['price', 'id', 'name', '0:2', 'when'])
    got, want = np.load(tmp_path / 'y.npy'), np.sort(rows, order='price')
    assert got.dtype == np.dtype([('price', '>f4'), ('id', '<u4'), ('name', 'S5'), ('0:2', 'V2'), ('when', '<i8')])
    assert all((got[name] == want[name]).all() for name in ('price', 'id', 'name'))


def test_histogram_and_variance__are_numpys(tmp_path, numbers):
    numbers.tofile(tmp_path / 'x.f64')
    counts, edges = np.histogram(numbers, bins=40)
    for report in (gs.stats(tmp_path / 'x.f64', histogram=40, variance=True),
                   gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y.f64', histogram=40, variance=True)):
        assert [bin.count for bin in report.histogram] == counts.tolist()
        np.testing.assert_allclose([bin.start for bin in report.histogram], edges[:-1], rtol=1e-3, atol=1e-9)
        np.testing.assert_allclose([report.mean, report.variance], [numbers.mean(), numbers.var()], rtol=1e-9)


def test_quantiles__are_numpys(tmp_path, numbers):
    wanted, was = (0.25, 'median', 0.999), numbers.copy()
    for report in (gs.stats(tmp_path / 'x.f64', quantiles=wanted), gs.stats(numbers, quantiles=wanted),
                   gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y.f64', quantiles=wanted, distinct=True, mode=True)):
        between = [quantile.between for quantile in report.quantiles]
        np.testing.assert_allclose(between, np.quantile(numbers, (0.25, 0.5, 0.999)), rtol=1e-12)
        assert report.quantiles[1].p == 'median' and report.quantiles[1].value == np.sort(numbers)[report.quantiles[1].rank - 1]
    assert (report.distinct_count, report.mode_count) == (len(np.unique(numbers)), 1) and report.mode == numbers.min()
    assert (numbers == was).all()
    assert gs.stats(tmp_path / 'x.f64', quantiles=[1e-5, np.float64(1)]).quantiles[0].value == numbers.min()


def test_sort_file__structured_dtype_or_records__by_keys(tmp_path):
    a = np.zeros(1000, [('price', '<f8'), ('time', '<i8')])
    a['price'], a['time'] = np.arange(1000) % 7, np.arange(1000)
    a.tofile(tmp_path / 'trades')
    want = a[np.lexsort([-a['time'], a['price']])]
    gs.sort_file(tmp_path / 'trades', tmp_path / 'y', dtype=a.dtype, key=['price', '-time'])
    assert (tmp_path / 'y').read_bytes() == want.tobytes()
    gs.sort_file(tmp_path / 'trades', tmp_path / 'y', dtype='V16', key=['0:f64', '8:i64:desc'])
    assert (tmp_path / 'y').read_bytes() == want.tobytes()
    np.save(tmp_path / 'trades.npy', a)
    gs.sort_file(tmp_path / 'trades.npy', tmp_path / 'y.npy', key=['price', '-time'])
    assert np.load(tmp_path / 'y.npy').tobytes() == want.tobytes()
    assert gs.stats(tmp_path / 'trades', dtype=a.dtype, stats_of=['8:i64']).fields[0].sum == 999 * 500


def test_merge__checks_that_inputs_are_sorted(tmp_path):
    a, b, c = (np.arange(i, 3000, 3, dtype='<u4') for i in range(3))
    for name, numbers in (('a', a), ('b', b), ('c', c), ('z', c[::-1])):
        numbers.tofile(tmp_path / f'{name}.u32')
    gs.merge([tmp_path / 'a.u32', tmp_path / 'b.u32', tmp_path / 'c.u32'], tmp_path / 'all.u32')
    assert (np.fromfile(tmp_path / 'all.u32', '<u4') == np.arange(3000)).all()
    with pytest.raises(gs.InputError, match=r'z\.u32'):
        gs.merge([tmp_path / 'a.u32', tmp_path / 'z.u32'], tmp_path / 'no.u32')
    assert not os.path.exists(tmp_path / 'no.u32')


def test_merge__set_operations_are_numpys(tmp_path):
    a, b = np.arange(0, 3000, 2, dtype='<u4'), np.arange(0, 3000, 3, dtype='<u4')
    files = [tmp_path / 'a.u32', tmp_path / 'b.u32']
    a.tofile(files[0])
    b.tofile(files[1])
    for name, want in (('union', np.union1d(a, b)), ('intersect', np.intersect1d(a, b)), ('except', np.setdiff1d(a, b)),
                       ('semi', np.intersect1d(a, b)), ('anti', np.setdiff1d(a, b)), ('xor', np.setxor1d(a, b))):
        gs.merge(files, tmp_path / 'out.u32', merge=name)
        assert np.fromfile(tmp_path / 'out.u32', '<u4').tolist() == want.tolist(), name
    with pytest.raises(ValueError, match='merge'):
        gs.merge(files, tmp_path / 'out.u32', merge='nand')


def test_merge__parts_into_one_file_and_what_is_found_there(tmp_path):
    halves = [tmp_path / 'a.u32', tmp_path / 'b.u32']
    for i, half in enumerate(halves):
        np.arange(i, 3000, 2, dtype='<u4').tofile(half)
    for i in (3, 1, 2):
        report = gs.merge(halves, into=tmp_path / 'all.u32', part=f'{i}/3')
        assert report.details['into'] == {'offset': (i - 1) * 4000, 'file_bytes': 12000} and report.count == 1000
    assert (np.fromfile(tmp_path / 'all.u32', '<u4') == np.arange(3000)).all()
    assert gs.find(tmp_path / 'all.u32', '1000..1009') == slice(1000, 1010)
    assert gs.merge(halves, tmp_path / 'some.u32', find='2990..').count == 10
    assert gs.merge(halves, tmp_path / 'some.u32', range='1400:200', where='>=2990').count == 5
    assert gs.sort_file(tmp_path / 'all.u32', tmp_path / 'some.u32', range='2999:').min == 2999
    with pytest.raises(gs.UsageError, match='12000 bytes'):
        gs.merge(halves[:1], into=tmp_path / 'all.u32')
    with pytest.raises(gs.UsageError, match='^part'):
        gs.merge(halves, tmp_path / 'no.u32', part='4/3')


def test_shuffle_file__same_seed__same_permutation(tmp_path, numbers):
    path, one, two, some = (str(tmp_path / name) for name in ('a.f64', 'one.f64', 'two.f64', 'some.f64'))
    numbers.tofile(path)
    report = gs.shuffle_file(path, one, seed=2**64 - 1)
    assert report.details['shuffle_seed'] == 2**64 - 1
    gs.shuffle_file([path], two, seed=2**64 - 1, memory='16M', spill='always')
    shuffled = np.fromfile(one)
    assert np.array_equal(shuffled, np.fromfile(two))
    assert not np.array_equal(shuffled, numbers) and np.array_equal(np.sort(shuffled), np.sort(numbers))
    gs.shuffle_file(path, some, seed=2**64 - 1, count=10)
    assert np.array_equal(np.fromfile(some), shuffled[:10])
    drawn = gs.shuffle_file(path, one).details['shuffle_seed']
    assert drawn != gs.shuffle_file(path, two).details['shuffle_seed']
    gs.shuffle_file(path, two, seed=drawn)
    assert np.array_equal(np.fromfile(one), np.fromfile(two))
    with pytest.raises(gs.UsageError, match='reverse'):
        gs.shuffle_file(path, two, reverse=True)


def test_sort_file__into_several(tmp_path, numbers):
    gs.sort_file(tmp_path / 'x.f64', tmp_path / 'part.%d.f64', split=3)
    gs.sort_file(tmp_path / 'x.f64', tmp_path / 'side.%d.f64', split_at=[-0.5, 0.25])
    ordered = np.sort(numbers)
    parts = [np.fromfile(tmp_path / f'part.{i}.f64') for i in (1, 2, 3)]
    sides = [np.fromfile(tmp_path / f'side.{i}.f64') for i in (1, 2, 3)]
    assert [len(part) for part in parts] == [33_333, 33_333, 33_334] and (np.concatenate(parts) == ordered).all()
    assert [len(side) for side in sides[:2]] == list(np.diff(np.searchsorted(ordered, [-np.inf, -0.5, 0.25])))
    assert (np.concatenate(sides) == ordered).all()
    with pytest.raises(gs.UsageError, match='pattern'):
        gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y.f64', split=2)


def test_check__of_files(tmp_path):
    np.arange(100, dtype='<u4').tofile(tmp_path / 'x.u32')
    assert gs.check(tmp_path / 'x.u32').duplicate_count == 0
    with pytest.raises(gs.DisorderError, match='element 1') as failed:
        gs.check(str(tmp_path / 'x.u32'), reverse=True)
    assert failed.value.disorder.after == '1'


@pytest.mark.parametrize('call', [gs.check, gs.stats, lambda x: gs.top(x, 1)])
def test_bytes__are_a_name__and_a_view_of_them_an_array(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="'abc.uint8': cannot open"):
        call(b'abc.uint8')
    np.array([1, 2], 'u1').tofile('abc.uint8')
    for given, count in (b'abc.uint8', 2), (memoryview(b'abc'), 3), (bytearray(b'abcd'), 4):
        found = call(given)
        assert found.count == count if isinstance(found, gs.Report) else len(found) == 1


def test_find__a_float__is_the_number_that_it_is(tmp_path):
    a = np.array([5, 2 ** 63, 2 ** 63 + 92, 2 ** 63 + 192], 'u8')
    a.tofile(tmp_path / 'x.u64')
    assert gs.find(tmp_path / 'x.u64', 2.0 ** 63) == slice(1, 2)
    gs.sort_file(tmp_path / 'x.u64', tmp_path / 'part.%d', split_at=2.0 ** 63)
    assert np.fromfile(tmp_path / 'part.1', 'u8').tolist() == [5]
    for dtype in 'f2', 'f4', 'f8':
        np.array([0.05, 0.1, 0.2, 0.3], dtype).tofile(tmp_path / 'x')
        assert gs.find(tmp_path / 'x', 0.1, dtype=dtype) == gs.find(tmp_path / 'x', np.dtype(dtype).type(0.1), dtype=dtype) == slice(1, 2)
    assert gs.find(tmp_path / 'x', np.float32(0.1), dtype='f8') == slice(2, 2)


def test_find__a_time__is_of_the_unit_of_the_type(tmp_path):
    np.array(['2019', '2020', '2021'], 'M8[ns]').tofile(tmp_path / 'x')
    assert gs.find(tmp_path / 'x', np.datetime64('2020'), type='time64[ns]') == slice(1, 2)
    assert gs.find(tmp_path / 'x', np.datetime64('2020'), dtype='M8[ns]') == slice(1, 2)
    with pytest.raises(gs.UsageError, match="'2020-01-01' is not a value of type time64, because the unit of the times is unknown"):
        gs.find(tmp_path / 'x', np.datetime64('2020'), dtype='m8[ns]')


@pytest.mark.parametrize('dtype', [None, 'f64', '<f8', np.float64])
def test_top__of_files(tmp_path, numbers, dtype):
    found = gs.top(tmp_path / 'x.f64', 1000, reverse=True, dtype=dtype)
    assert found.dtype == np.float64 and (found == np.sort(numbers)[::-1][:1000]).all()
    assert len(gs.top(tmp_path / 'x.f64', 10 ** 6)) == 100_000


@pytest.mark.parametrize('name', ['z.npy', 'z.npy.zst', 'z.f64.zst'])
def test_top__of_packed_files_and_npy(tmp_path, numbers, name):
    np.save(tmp_path / 'x.npy', numbers)
    gs.sort_file(tmp_path / ('x.npy' if '.npy' in name else 'x.f64'), tmp_path / name)
    found = gs.top(tmp_path / name, 1000)
    assert found.dtype == np.float64 and (found == np.sort(numbers)[:1000]).all()
    found[0] = 1  # it is the caller's


def test_top__of_npy_with_fields_or_times(tmp_path):
    rows = np.zeros(100, [('a', '<i4'), ('b', '>f8')])
    rows['a'], rows['b'] = np.arange(100) % 9, np.arange(100)
    np.save(tmp_path / 'x.npy', rows)
    assert gs.top(tmp_path / 'x.npy', 5, key=['-a', 'b']).tolist() == sorted(rows.tolist(), key=lambda row: (-row[0], row[1]))[:5]
    np.save(tmp_path / 'x.npy', np.array([3, 1, 2], 'M8[D]'))
    assert gs.top(tmp_path / 'x.npy', 2).tolist() == np.array([1, 2], 'M8[D]').tolist()


WORDS = [('u8', '<u8'), ('i8', '<i8'), ('u1', 'u1'), ('i1', 'i1'), ('uint8', 'u1'), ('int8', 'i1'), ('?', '?'), ('float', '<f8'), ('int', '<i8'),
         ('half', '<f2'), ('float16', '<f2'), ('>u8', '>u8'), ('u2', '<u2'), ('M8[s]', '<M8[s]'), ('S3', 'S3'),
         ('u64', '<u8'), ('f64', '<f8'), ('i16', '<i2'), ('u16', '<u2'), ('u16be', '>u2'), ('uint32_t', '<u4'), ('F32', '<f4'), ('time64', '<i8')]


@pytest.mark.parametrize('word, dtype', WORDS)
def test_dtype__is_numpys_where_numpy_knows_it__in_every_call(tmp_path, monkeypatch, word, dtype):
    monkeypatch.chdir(tmp_path)
    a = np.random.default_rng(9).integers(0, 2, 48 * 50).astype('u1')
    a[7::8] = a[6::8] = 0  # small numbers
    a.tofile('x')
    want = np.sort(a.view(dtype))
    gs.sort_file('x', 'y', dtype=word)
    assert np.fromfile('y', dtype).tolist() == want.tolist()
    gs.merge('y', 'z', dtype=word)
    gs.check('y', dtype=word)
    assert gs.stats('x', dtype=word).count == len(want)
    found = gs.top('x', 20, dtype=word)
    assert found.dtype == np.dtype(dtype) and found.tolist() == want[:20].tolist()
    if np.dtype(dtype).kind in 'uif':
        assert gs.find('y', str(want[-1]), dtype=word).stop == len(want)
    with gs.Sorter(word) as s:
        s.push(a.tobytes())
        assert s.dtype == np.dtype(dtype) and np.concatenate(list(s)).tolist() == want.tolist()


def test_dtype__of_128_bits_or_nobodys(tmp_path):
    a = np.arange(100, dtype='<u8').reshape(-1, 2)[::-1]
    a.tofile(tmp_path / 'x')
    for word in ('u128', 'int128'):
        with gs.Sorter(word) as s:
            s.push(a.tobytes())
            assert b''.join(block.tobytes() for block in s) == a[::-1].tobytes()
        assert gs.top(tmp_path / 'x', 3, dtype=word).tobytes() == a[::-1][:3].tobytes()
    for call in (lambda word: gs.Sorter(word), lambda word: gs.sort_file(tmp_path / 'x', tmp_path / 'y', dtype=word)):
        with pytest.raises(TypeError, match='x7'):
            call('x7')
        with pytest.raises(TypeError, match="'f2'"):
            call('f16')  # NumPy's has 16 bytes


def test_dtype__of_times__has_nat_last(tmp_path):
    a = np.array(['2020', 'NaT', '2019'], 'M8[s]')
    a.tofile(tmp_path / 'x')
    np.save(tmp_path / 'x.npy', a)
    gs.sort_file(tmp_path / 'x', tmp_path / 'y', dtype=a.dtype)
    gs.sort_file(tmp_path / 'x.npy', tmp_path / 'y.npy', dtype=a.dtype)
    for found in (np.fromfile(tmp_path / 'y', a.dtype), np.load(tmp_path / 'y.npy'), gs.top(tmp_path / 'x', 3, dtype='M8[s]')):
        np.testing.assert_array_equal(found, np.sort(a))


def test_dtype__beside_an_array__is_refused():
    a = np.arange(10.0)
    for call in (lambda: gs.stats(a, dtype='u8'), lambda: gs.check(a, dtype='u8'), lambda: gs.top(a, 3, dtype='u8'), lambda: gs.stats(a, type='u64'), lambda: gs.sort(a, record=8),
                 lambda: gs.Sorter('f8', type='u64')):
        with pytest.raises(TypeError, match='dtype'):
            call()


def test_failures__are_exceptions_of_python_with_the_text(tmp_path, numbers):
    with pytest.raises(OSError, match=r'nowhere.* No such file') as failed:
        gs.sort_file(tmp_path / 'nowhere.f64', tmp_path / 'y')
    assert failed.value.errno == 2 and isinstance(failed.value, gs.InputError) and failed.value.status == -3
    with pytest.raises(gs.FileError, match='No such file'):
        gs.sort_file(tmp_path / 'x.f64', tmp_path / 'no' / 'y')
    with pytest.raises(ValueError, match='5 bytes are left over'):
        gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y', dtype='V7')
    with pytest.raises(gs.UsageError, match='zstd'):
        gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y', zstd=77)
    with pytest.raises(gs.UsageError, match='at least 10 MiB'):
        gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y', memory='1M')
    assert sorted(os.listdir(tmp_path)) == ['x.f64']


MISSING = FileNotFoundError, gs.InputFileError, errno.ENOENT
UNWRITTEN = FileNotFoundError, gs.FileError, errno.ENOENT


@pytest.mark.parametrize('job, want', [
    (lambda: gs.sort_file('no.f64', 'y'), MISSING), (lambda: gs.merge(['x.f64', 'no.f64'], 'y'), MISSING), (lambda: gs.stats('no.f64'), MISSING),
    (lambda: gs.check('no.f64'), MISSING), (lambda: gs.find('no.f64', '1'), MISSING), (lambda: gs.top('no.f64', 1), MISSING),
    (lambda: gs.sort_file('x.f64', 'no/y'), UNWRITTEN), (lambda: gs.sort_file('x.f64', 'y', temp='no'), UNWRITTEN),
    (lambda: gs.sort(np.zeros(3), temp='no'), UNWRITTEN), (lambda: list(gs.Sorter('f8', temp='no')), UNWRITTEN),
    (lambda: gs.sort_file('x.f64/x.f64', 'y'), (NotADirectoryError, gs.InputFileError, errno.ENOTDIR)),
    (lambda: gs.sort_file('folder', 'y'), (IsADirectoryError, gs.InputFileError, errno.EISDIR)),
    (lambda: gs.sort_file('x.f64', 'folder'), (IsADirectoryError, gs.FileError, errno.EISDIR))])
def test_failures_of_files__are_what_python_calls_them(tmp_path, monkeypatch, numbers, job, want):
    monkeypatch.chdir(tmp_path)
    os.mkdir('folder')
    python, kind, number = want
    with pytest.raises(python) as failed:
        job()
    for error in (failed.value, pickle.loads(pickle.dumps(failed.value))):
        assert isinstance(error, python) and isinstance(error, kind) and error.errno == number and error.status == failed.value.status < 0
        assert str(error) == str(failed.value) and type(error).__name__ == kind.__name__
        assert error.filename in ('no.f64', 'no/y', 'no', 'x.f64/x.f64', 'folder') and error.strerror == os.strerror(number)
        assert f"'{error.filename}'" in str(error)


def test_filename__is_the_whole_name_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, told in ("it's here.f64", True), ('what?.f64', False), ('line\nbreak.f64', False), ('d\u00e9j\u00e0.f64', True), ('x' * 250, True):
        with pytest.raises(FileNotFoundError) as failed:
            gs.stats(name, dtype='f8')
        assert failed.value.filename == (name if told else None), name
    long = '/'.join('x' * 250 for _ in range(6))
    with pytest.raises(FileNotFoundError) as failed:
        gs.stats(long, dtype='f8')
    assert failed.value.filename is None and '...' in str(failed.value)


WRONG = {
    'sort()': lambda: gs.sort(3), 'sort(): speed': lambda: gs.sort(np.zeros(3), speed=1), 'sort(): memory': lambda: gs.sort(np.zeros(3), memory=[1, 2]),
    'sort_file(): input': lambda: gs.sort_file(3, 'y'), 'sort_file(): output': lambda: gs.sort_file('x', 3),
    'sort_file(): dtype': lambda: gs.sort_file('x', 'y', dtype='nonsense'), 'sort_file(): by': lambda: gs.sort_file('x', 'y', key=3),
    'argsort(): by': lambda: gs.argsort(np.zeros(3), order=[1]), 'merge()': lambda: gs.merge('x'), 'stats()': lambda: gs.stats(None),
    'check()': lambda: gs.check([1, 2]), 'top()': lambda: gs.top([1, 2], 1), 'find()': lambda: gs.find('x', 1, spede=1),
    'Sorter()': lambda: gs.Sorter('nonsense'), 'Sorter(): speed': lambda: gs.Sorter('f8', speed=1),
    'Sorter.push()': lambda: gs.Sorter('f8').push(np.zeros(3, 'f4'))}


@pytest.mark.parametrize('want', WRONG)
def test_type_errors__name_the_public_call(want):
    with pytest.raises(TypeError) as failed:
        WRONG[want]()
    begin, _, word = want.partition(': ')
    assert str(failed.value).startswith(f'{begin}: ') and word in str(failed.value)


@pytest.mark.parametrize('job', [
    lambda name: gs.sort_file(name, 'y'), lambda name: gs.sort_file('x.f64', name), lambda name: gs.stats(['x.f64', name]),
    lambda name: gs.sort_file('x.f64', 'y', temp=name), lambda name: gs.sort_file('x.f64', 'y', resume=name),
    lambda name: gs.find('x.f64', name), lambda name: gs.stats('x.f64', where='>' + name)])
def test_null_byte__is_refused__as_of_open(tmp_path, monkeypatch, numbers, job):
    """C would take what is before it for the name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match='null byte'):
        job('x.f64\0more')
    assert os.listdir() == ['x.f64'] and (np.fromfile('x.f64') == numbers).all()


def test_failures__that_are_no_files__can_be_pickled():
    with pytest.raises(gs.UsageError) as failed:
        gs.sort(np.zeros(3), memory='1M')
    error = pickle.loads(pickle.dumps(failed.value))
    assert type(error) is gs.UsageError and (str(error), error.status) == (str(failed.value), failed.value.status)


def test_assumed_type__is_a_warning(tmp_path):
    np.arange(10, dtype='<u8').tofile(tmp_path / 'x')
    with pytest.warns(gs.NoteWarning, match='u64') as told:
        gs.sort_file(tmp_path / 'x', tmp_path / 'y')
    assert told[0].filename == __file__
