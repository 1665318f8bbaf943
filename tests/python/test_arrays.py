"""Compares gs.sort and other calls on arrays with NumPy."""
import array
import copy
import pathlib
import pickle
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import libgsort as gs

NUMBERS = ['<u4', '<i4', '<f4', '<u8', '<i8', '<f8']
OTHERS = ['>u4', '>i4', '>f4', '>u8', '>i8', '>f8', '<u2', '<i2', '>u2', '>i2', 'u1', 'i1', '?', '<f2', '>f2', 'S1', 'S2', 'S7', 'U1', 'U5', 'V3', '<M8[s]', '>m8[ms]']
LONG = np.dtype([('a', '<i4'), ('b', '>f8'), ('c', 'S3'), ('in', [('x', '<u2'), ('y', '?')])])


def integers_of(a):
    """Returns integers in the order of the manual, the first decides first: floats by their bits, NaNs last, negative NaNs after the others."""
    if a.dtype.kind != 'f':
        return [np.unique(a, return_inverse=True)[1]]
    bits = a.astype(a.dtype.newbyteorder('=')).view(f'i{a.dtype.itemsize}')
    values = np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)
    return [np.isnan(a).astype('i1'), (np.isnan(a) & (bits < 0)).astype('i1'), values]


def order_of(*columns):
    """Stable, as numpy.lexsort; of (column, whether it descends), the first decides first."""
    keys = [~key if is_descending else key for column, is_descending in columns for key in integers_of(column)]
    return np.lexsort(keys[::-1])


@pytest.mark.parametrize('dtype', NUMBERS + OTHERS)
@given(data=some.data())
def test_sort__any_dtype__is_what_numpy_makes_of_it(dtype, data):
    drawn = dtype if dtype[0] != 'V' else 'u1'
    length = some.integers(0, 100).map(lambda n: n * np.dtype(dtype).itemsize if drawn != dtype else n)
    a = data.draw(arrays.arrays(drawn, length)).view(dtype)
    want = np.sort(a) if drawn == dtype else np.frombuffer(b''.join(sorted(x.tobytes() for x in a)), dtype)
    report = gs.sort(a)
    assert a.tobytes() == want.tobytes() or a.dtype.kind == 'f' and np.array_equal(a, want, equal_nan=True)
    assert report.count == len(a)


@pytest.mark.parametrize('dtype', ['<f4', '<f8', '>f4', '>f8'])
@given(data=some.data())
def test_sort__floats__keep_every_bit_in_the_order_of_the_manual(dtype, data):
    kind = np.dtype(dtype)
    bits = data.draw(arrays.arrays(kind.str.replace('f', 'u'), some.integers(0, 300)))
    special = data.draw(arrays.arrays(kind, len(bits), elements=some.sampled_from([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf])))
    a = np.where(data.draw(arrays.arrays('?', len(bits))), special.view(bits.dtype), bits).astype(bits.dtype).view(kind)
    want = a[order_of((a, False))]
    gs.sort(a)
    assert a.tobytes() == want.tobytes()
    gs.sort(a, reverse=True)
    assert a.tobytes() == want[::-1].tobytes()


@given(data=some.data())
def test_sort__structured_by_fields__is_stable(data):
    a = data.draw(arrays.arrays(LONG, some.integers(0, 200), fill=some.nothing()))
    a['a'] %= 3
    order = data.draw(some.lists(some.sampled_from(['a', '-a', 'b', '-b', 'in.x', '-in.x', 'in.y']), min_size=1, max_size=4,
                           unique_by=lambda name: name.lstrip('-')))
    columns = []
    for name in order:
        field = a[name.lstrip('-').split('.')[0]]
        field = field[name.split('.')[1]] if '.' in name else field
        columns.append((field, name[0] == '-'))
    want = a[order_of(*columns)]
    gs.sort(a, order=order)
    assert a.tobytes() == want.tobytes()


def test_sort__structured_without_order__goes_by_all_fields():
    rng = np.random.default_rng(1)
    a = np.zeros(5000, LONG)
    for name, most in (('a', 3), ('b', 2)):
        a[name] = rng.integers(0, most, len(a))
    a['c'] = rng.integers(0, 12, len(a)).astype('S3')
    a['in']['x'] = rng.integers(0, 9, len(a))
    want = np.sort(a)
    gs.sort(a)
    assert a.tobytes() == want.tobytes()


def test_sort__aligned_struct__pads_are_no_keys():
    a = np.zeros(1000, np.dtype([('x', 'u1'), ('y', '<f8')], align=True))
    a.view('u1')[:] = np.random.default_rng(2).integers(0, 255, a.nbytes, dtype='u1')
    a['y'] = np.arange(1000)[::-1]
    a['x'] = 7
    gs.sort(a)
    assert (a['y'] == np.arange(1000)).all()


@pytest.mark.parametrize('nan', ['first', 'last'])
@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize('dtype', ['f8', '>f4', 'f2', 'M8[s]', '>m8[ms]'])
def test_sort__nan__has_nans_there(dtype, reverse, nan):
    a = np.arange(1000).astype(dtype)
    a[::3] = 'NaT' if a.dtype.kind in 'mM' else np.nan
    is_nan = np.isnan(a) if a.dtype.kind == 'f' else np.isnat(a)
    numbers = np.sort(a[~is_nan])[::-1] if reverse else np.sort(a[~is_nan])
    want = np.concatenate([a[is_nan], numbers] if nan == 'first' else [numbers, a[is_nan]])
    places = gs.argsort(a, reverse=reverse, nan=nan)
    np.testing.assert_array_equal(a[places], want)
    gs.sort(a, reverse=reverse, nan=nan.encode())
    np.testing.assert_array_equal(a, want)


@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize('dtype', ['M8[s]', 'm8[us]'])
def test_sort__times__nats_are_at_the_end_where_nans_are(dtype, reverse):
    for nats in (0, 1, 5, 100):
        numbers = np.random.default_rng(3).integers(-9, 9, 100)
        a = numbers.astype(dtype)
        a[:nats] = 'NaT'
        want = np.sort(a)[::-1] if reverse else np.sort(a)
        gs.sort(a, reverse=reverse)
        np.testing.assert_array_equal(a, want)


def test_sort__nats_in_records__are_last():
    a = np.array([(1, 'NaT'), (2, 5), (3, -5)], [('x', '<i4'), ('when', '<M8[s]')])
    gs.sort(a, order='when')
    assert list(a['x']) == [3, 2, 1]


def test_sort__strided__is_sorted_where_it_lies():
    whole = np.random.default_rng(4).normal(size=(1000, 3))
    was = whole.copy()
    gs.sort(whole[:, 1])
    assert (whole[:, 1] == np.sort(was[:, 1])).all() and (whole[:, ::2] == was[:, ::2]).all()
    gs.sort(whole[::-1, 0])
    assert (whole[::-1, 0] == np.sort(was[:, 0])).all()


@pytest.mark.parametrize('step', [1, 2, -1])
def test_sort__some_fields__move_the_bytes_of_the_others_along(step):
    a = np.zeros(6, [('x', '<i4'), ('y', '<i4'), ('z', '<i4')])
    a['x'] = [3, 1, 2, 9, 8, 7]
    a['y'], a['z'] = a['x'] * 10, a['x'] * 100
    view = a[['x', 'y']][::step]
    want = np.sort(view['x'])
    gs.sort(view)
    assert (view['x'] == want).all() and (a['y'] == a['x'] * 10).all() and (a['z'] == a['x'] * 100).all()


@pytest.mark.parametrize('step', [1, 2])
def test_keys__that_are_read_once__are_those_of_every_look(step):
    a = np.array([(1, 4), (2, 3), (3, 2), (4, 1)], [('x', '<i4'), ('y', '<i4')])[::step]
    gs.sort(a, order=iter(['y']))
    assert list(a['y']) == sorted(a['y'])
    u128 = np.array([b'\0' * 15 + b'\1', b'\1' + b'\0' * 15], 'V16')  # as numbers the other way round
    with gs.Sorter('u128', key=iter([])) as s:
        s.push(u128)
        assert s.pull().tobytes() == u128[::-1].tobytes()


def test_sort__of_the_other_byte_order__that_fails__leaves_the_array():
    a = np.array([3.0, 1.0, 2.0], '>f8')
    with pytest.raises(gs.UsageError, match="'5000' is not"):
        gs.sort(a, threads=5000)
    assert list(a) == [3, 1, 2]


def test_sort__of_the_other_byte_order_that_is_interrupted__leaves_numbers():
    """Ctrl-C interrupts after any call of C in the swap, which is where Python handles signals."""
    numbers = [3.0, 1.0, 2.0]
    for place in range(9):
        a, left = np.array(numbers, '>f8'), [place]

        def interrupt(frame, event, _, left=left):
            if event == 'c_return' and frame.f_code.co_name == '_sort_swapped':
                left[0] -= 1
                if left[0] < 0:
                    sys.setprofile(None)
                    raise KeyboardInterrupt
        sys.setprofile(interrupt)
        try:
            gs.sort(a)
        except KeyboardInterrupt:
            assert a.tolist() in (numbers, sorted(numbers)), place
        finally:
            sys.setprofile(None)
    assert left[0] >= 0 and a.tolist() == sorted(numbers)


def test_bfloat16__is_a_number(tmp_path):
    kind = np.dtype(ml_dtypes.bfloat16)
    numbers = np.array([3, -1, 0.5, -2, 1, -0.0, 0], 'f4')
    for a in (numbers.astype(kind), numbers.astype(kind).astype(kind.newbyteorder('>'))):
        want = np.sort(numbers).tolist()
        assert gs.sorted(a).astype('f4').tolist() == want and a[gs.argsort(a, reverse=True)].astype('f4').tolist() == want[::-1]
        assert gs.top(a, 2).astype('f4').tolist() == want[:2] and gs.stats(a).max == 3
    gs.sort(a)
    assert str(a.astype('f4').tolist()) == '[-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0]'
    pairs = np.array([(3, 1), (-1, 2), (0.5, 3)], [('x', kind), ('y', 'i4')])
    with gs.Sorter(pairs.dtype, key='-x') as s:
        s.push(pairs)
        assert next(iter(s))['y'].tolist() == [1, 3, 2]
    gs.sort(pairs)
    assert pairs['y'].tolist() == [2, 3, 1]
    numbers.astype(kind).tofile(tmp_path / 'x')
    gs.sort_file(tmp_path / 'x', tmp_path / 'y', dtype=kind)
    assert np.fromfile(tmp_path / 'y', kind).astype('f4').tolist() == want
    with gs.Sorter(kind) as s:
        s.push(numbers.astype(kind))
        assert s.rank_of(0.5) == (4, 5)


def test_sort__unaligned__is_sorted():
    data = bytearray(b'x' + np.arange(1000.0)[::-1].tobytes())
    a = np.frombuffer(data, '<f8', offset=1)
    gs.sort(a)
    assert (a == np.arange(1000.0)).all()


def test_sort__empty_and_one():
    for a in (np.zeros(0), np.ones(1), np.zeros(0, LONG)):
        want = a.copy()
        assert gs.sort(a).count == len(a)
        assert a.tobytes() == want.tobytes()


def test_sort__buffers__are_arrays():
    a = array.array('d', [3, 1, 2])
    gs.sort(a)
    assert list(a) == [1, 2, 3]
    b = np.array([3, 1], '<u4').tobytes()
    with pytest.raises(ValueError, match='read-only'):
        gs.sort(memoryview(b).cast('I'))


def test_sort__memmap__is_in_the_file(tmp_path):
    a = np.memmap(tmp_path / 'x', '<u4', 'w+', shape=(100001,))
    a[:] = np.arange(100001)[::-1]
    gs.sort(a, memory='16M')
    a.flush()
    assert (np.fromfile(tmp_path / 'x', '<u4') == np.arange(100001)).all()
    with pytest.raises(ValueError, match='read-only'):
        gs.sort(np.memmap(tmp_path / 'x', '<u4', 'r'))


def test_ties__by_the_input_the_other_fields_or_all_other_bytes():
    a = np.zeros(5000, [('b', '<u2'), ('a', 'u1'), ('c', '<i4')])
    rng = np.random.default_rng(1)
    for name, most in ('a', 3), ('b', 600), ('c', 5):
        a[name] = rng.integers(0, most, len(a))
    want = {'input': a[np.argsort(a['a'], kind='stable')], 'fields': np.sort(a, order='a'),
            'bytes': np.array(sorted(a.tolist(), key=lambda row: (row[1], np.array(row, a.dtype).tobytes())), a.dtype)}
    for order, ties, name in ('a', None, 'input'), ('a', 'bytes', 'bytes'), (['a', 'b', 'c'], None, 'fields'):
        b = a.copy()
        gs.sort(b, order=order, ties=ties)
        assert (b == want[name]).all(), name
        if ties is None:
            assert (a[gs.argsort(a, order=order)] == b).all(), name
    with pytest.raises(gs.UsageError, match='^ties cannot be used with argsort'):
        gs.argsort(a, order='a', ties='bytes')
    assert (want['input'] != want['fields']).any() and (want['bytes'] != want['fields']).any()


@pytest.mark.parametrize('a, error, text', [
    (np.zeros((2, 2)), ValueError, '2 dimensions'), (np.array(1.0), ValueError, '0 dimensions'),
    (np.zeros(3, 'V65537'), TypeError, '1 to 65536 bytes'), (np.zeros(3, 'c16'), TypeError, 'cannot be a key'),
    (np.zeros(3, 'g'), TypeError, 'cannot be a key'), (np.array([None]), TypeError, 'Python objects'),
    (np.zeros(3, 'U65'), TypeError, 'at most 64'), ([3, 1], TypeError, r'sort\(\): list is not an array; convert it by numpy.array'),
    (pathlib.Path('x.f64'), TypeError, r'use sort_file\(\) for files'),
    (np.zeros(2, [('a', '<i4', 2)]), TypeError, r"'a'.* cannot be a key"),
    (np.zeros(2, ml_dtypes.float8_e4m3fn), TypeError, 'float8_e4m3fn cannot be a key'), (np.zeros(2, ml_dtypes.int4), TypeError, 'int4 cannot be a key'),
    (np.zeros(2, [('a', '<i4'), ('b', ml_dtypes.float8_e5m2)]), TypeError, r"'b'.* cannot be a key"),
    (np.ma.masked_array([1, 2]), TypeError, 'masked')])
def test_sort__what_has_no_order__is_refused_and_untouched(a, error, text):
    was = copy.copy(a)
    with pytest.raises(error, match=text):
        gs.sort(a)
    assert str(a) == str(was)


def test_sort__wrong_words__are_refused():
    a = np.zeros(3, LONG)
    for options, error, text in (
            ({'order': 'z'}, ValueError, "'z' is not a field .* it has a, b, c, in"), ({'order': ['a', '-a']}, ValueError, "'a' is given twice"),
            ({'memory': 'much'}, ValueError, "'much' is not a size"),
            ({'memory': -1}, ValueError, "'-1' is not a size"), ({'device': 'tpu'}, ValueError, 'one of: auto cpu cuda'),
            ({'compress': 'zstd:99'}, ValueError, "'99' is not a whole number from 1 to 19"), ({'speed': 1}, TypeError, 'speed'),
            ({'threads': -2}, ValueError, "'-2' is not"), ({'threads': 5000}, gs.UsageError, "'5000' is not")):
        with pytest.raises(error, match=text):
            gs.sort(a, **options)
    with pytest.raises(ValueError, match='is not a field'):
        gs.sort(np.zeros(3), order='x')


def test_report__has_exact_numbers():
    report = gs.sort(np.array([2 ** 64 - 1, 5, 2 ** 64 - 1], 'u8'))
    assert (report.min, report.max, report.sum) == (5, 2 ** 64 - 1, 2 ** 65 + 3)
    report = gs.stats(np.array([1e16, 1, -1e16, np.nan]))
    assert (report.min, report.max, report.nan_count) == (-1e16, 1e16, 1) and report.sum == 1.0
    assert np.isnan(gs.stats(np.array([np.nan, np.nan])).sum)
    assert gs.stats(np.array([1e16, 1, -1e16])).sum == 1.0
    records = gs.stats(np.array([(1, 2.5), (3, -0.5)], [('i', '<i8'), ('x', '<f8')]), key='x')
    assert records.fields[0].sum == 2.0 and isinstance(records.fields[0].max, float) and records.sum is None


TIMES = ['M8[s]', 'M8[ns]', 'M8[D]', 'M8[M]', 'M8[25s]', '>M8[ms]', 'm8[us]', '>m8[s]']


@pytest.mark.parametrize('dtype', TIMES)
@pytest.mark.parametrize('nan', ['first', 'last'])
@pytest.mark.parametrize('reverse', [False, True])
def test_times__that_are_sorted__pass_the_check_and_begin_with_the_top(dtype, nan, reverse):
    a = np.array([7, 1, 'NaT', 5, 'NaT', -3, 1], dtype)
    how = {'nan': nan, 'reverse': reverse}
    found = gs.sorted(a, **how)
    assert found.dtype == a.dtype and np.isnat(found[:2]).all() == (nan == 'first')
    gs.check(found, **how)
    for k in 1, 3, 6, 9:
        np.testing.assert_array_equal(gs.top(a, k, **how), found[:k])
    with pytest.raises(gs.DisorderError):
        gs.check(a, **how)


@pytest.mark.parametrize('dtype', TIMES)
def test_times__in__are_times_out(tmp_path, dtype):
    a = np.array([40, 10, 'NaT', 31, 20, -100], dtype)
    kind = a.dtype.newbyteorder('=')
    numbers = np.sort(a[~np.isnat(a)]).astype(kind)
    a.tofile(tmp_path / 'x')
    rows = np.zeros(len(a), [('n', '<u2'), ('when', a.dtype)])
    rows['when'] = a
    how = {'quantiles': [0, 'median'], 'histogram': 2, 'variance': True}
    for report in (gs.stats(a, **how), gs.stats(tmp_path / 'x', dtype=a.dtype, **how), gs.stats(rows, key='when', **how)):
        of = report.fields[0] if report.fields else report
        assert (of.min, of.max, of.nan_count) == (numbers[0], numbers[-1], 1) and of.min.dtype == of.max.dtype == kind
        assert of.sum is None or kind.kind == 'm' and of.sum == numbers.sum()
        assert [at.value for at in report.quantiles] == [numbers[0], numbers[2]] and report.quantiles[1].between.dtype == kind
        assert report.histogram[0].start == numbers[0] and report.histogram[1].start.dtype == kind
        if not report.fields:
            assert report.mean == np.int64(0).astype(kind) and report.mean.dtype == kind  # of 1/5 units
            assert report.deviation.dtype == kind.str.replace('M', 'm') and type(report.variance) is float
        again = pickle.loads(pickle.dumps(report))
        assert repr(again) == repr(report) and again.histogram[0].start.dtype == kind


def test_times__at_the_ends_of_their_range__are_exact():
    for unit in 'D', 'h', 'm', 's', 'ms', 'us', 'ns':
        a = np.array([-2 ** 63 + 1, 2 ** 63 - 1, 0, 253402300800 if unit == 's' else 1], 'i8').view(f'M8[{unit}]')
        report = gs.stats(a)
        assert (report.min, report.max) == (a[0], a[1]), unit
    a = np.array([2 ** 62 + 1, 2 ** 62 + 2, 2 ** 62 + 6], 'M8[ns]')  # no double holds any of them
    report = gs.stats(a, variance=True, quantiles=[0.25])
    assert (report.mean, report.quantiles[0].between) == (a[1] + 1, a[1])  # half a unit is rounded to even
    assert report.details['tally']['sum'] is None


def test_report__is_read_when_it_is_looked_into():
    a = np.arange(100.0)[::-1].copy()
    kept = [gs.sort(a) for _ in range(40)]
    copied = pickle.loads(pickle.dumps(kept[39]))
    assert '_taken' in vars(kept[38]) and '_taken' not in vars(kept[0])
    assert all(report.count == 100 and report.sum == 4950 for report in [*kept, copied])
    assert copied.details == kept[39].details and 'count=100' in repr(gs.sort(a))
    with pytest.raises(AttributeError, match="no '_taken'"):
        kept[0]._taken


def test_report__that_threads_read_for_each_other__is_whole():
    """Each thread has its reports read while others make theirs, and while the one that made them looks into them."""
    failures = []

    def work():
        try:
            for _ in range(200):
                made = [gs.sort(np.array([3.0, 1, 2])) for _ in range(8)]
                assert all(report.count == 3 and report.details['schema'] == 2 for report in made)
        except Exception as error:
            failures.append(error)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize('copied', [
    lambda m: m.astype('i8'), lambda m: m.copy(), np.sort, lambda m: m[np.arange(len(m))], lambda m: m.astype('i8')[8:],
    lambda m: m.copy().view('u8')])
def test_copy_of_a_mapped_file__keeps_its_bytes(tmp_path, copied):
    """The copy has the type memmap, but is on the heap. A file cannot restore its pages."""
    values = np.random.default_rng(4).integers(1, 1 << 60, (20 << 20) // 8)
    values.tofile(tmp_path / 'x')
    mapped = np.memmap(tmp_path / 'x', 'i8', 'r+')
    a = copied(mapped)
    want = np.array(a)
    assert gs.stats(a).min == want.min() and (a == want).all()
    places = copied(mapped).view('u8')
    gs.argsort(a, out=places)
    ordered = np.sort(want)
    assert (a == want).all() and (want[places] == ordered).all()
    assert (gs.top(a, 9) == ordered[:9]).all() and (a == want).all()
    gs.sort(a)
    assert (a == ordered).all()
    assert gs.check(a).count == len(a) and (a == ordered).all()


def test_keys__fields_named_by_digits__are_names():
    a = np.array([(1, 7), (2, 9), (3, 8)], [('0', '<i4'), ('1', '<i8')])
    for order, want in (('1', [1, 3, 2]), ('1:desc', [2, 3, 1]), ('-0', [3, 2, 1]), ('0:desc', [3, 2, 1]), (['4:i64'], [1, 3, 2]),
                        ('4:i64:desc', [2, 3, 1])):
        b = a.copy()
        gs.sort(b, order=order)
        assert b['0'].tolist() == want, order
    with gs.Sorter(a.dtype, key='-1') as s:
        s.push(a)
        assert next(iter(s))['0'].tolist() == [2, 3, 1]
    with pytest.raises(ValueError, match="'2' is not a field"):
        gs.sort(a, order='2')


def test_sort__of_a_mapped_file__goes_through_it_once(tmp_path):
    values = np.random.default_rng(3).normal(size=(17 << 20) // 8)
    values.tofile(tmp_path / 'x')
    a = np.memmap(tmp_path / 'x', 'f8', 'r+')
    assert gs.sort(a).details['plan']['is_in_place'] is False
    assert gs.sort(values).details['plan']['is_in_place'] is True
    assert (a == values).all()


def test_sort__in_little_memory__spills_and_is_the_same(tmp_path):
    a = np.random.default_rng(5).integers(0, 2 ** 63, 3_000_000, dtype='u8')
    want = np.sort(a)
    report = gs.sort(a, memory='16M', threads=1, temp=tmp_path)
    assert (a == want).all() and report.spilled_bytes > 0 and report.memory_peak_bytes < 16 << 20
    assert list(tmp_path.iterdir()) == []


def test_check__finds_the_first_disorder():
    a = np.array([1.0, 2, 3, 2, 5])
    with pytest.raises(gs.DisorderError, match='element 3') as failed:
        gs.check(a)
    assert (failed.value.disorder.index, failed.value.disorder.before, failed.value.disorder.after) == (3, '3', '2')
    assert failed.value.report.type == 'f64'
    assert gs.check(np.sort(a)).count == 5 and gs.check(np.sort(a)[::-1], reverse=True).count == 5
    with pytest.raises(gs.DisorderError):
        gs.check(np.sort(a), unique=True)


@given(a=arrays.arrays('<f8', some.integers(0, 200), elements=some.floats(allow_nan=False).map(lambda x: x + 0.0)),
       count=some.integers(0, 250))
def test_top__is_the_beginning_of_the_order(a, count):
    np.testing.assert_array_equal(gs.top(a, count), np.sort(a)[:count])
    np.testing.assert_array_equal(gs.top(a, count, reverse=True), np.sort(a)[::-1][:count])


def test_top__of_records__takes_the_first_of_equal_keys():
    a = np.zeros(1000, [('k', '<i4'), ('place', '<u4')])
    a['k'] = np.arange(1000) % 3
    a['place'] = np.arange(1000)
    found = gs.top(a, 5, key='-k')
    assert found.dtype == a.dtype and found['place'].tolist() == [2, 5, 8, 11, 14]
    found['k'] = 1  # it is the caller's


TOPLESS = [
    ({'count': True, 'unique': True}, 'count'), ({'out': '4:i32'}, 'out'), ({'out_order': 'big'}, 'out_order'),
    ({'zstd': True}, 'zstd'), ({'zstd': 3}, 'zstd'), ({'argsort': True}, 'argsort'), ({'argsort': 'u32'}, 'argsort'),
    ({'values': 'x:4:y'}, 'values'), ({'unique': True, 'sum': ['4:i32', '8:i32:wide']}, 'sum=OFF:TYPE:wide'),
    ({'unique': True, 'sum_wide': '4:i32'}, 'sum_wide')]


@pytest.mark.parametrize('options, name', TOPLESS)
def test_top__of_what_is_no_elements__is_refused(tmp_path, options, name):
    a = np.zeros(9, 'i4,i4,i4')
    a.tofile(tmp_path / 'x')
    for x, dtype in ((a, None), (tmp_path / 'x', a.dtype)):
        with pytest.raises(gs.UsageError, match=rf'^{name} cannot be used with top\(\)'):
            gs.top(x, 3, dtype=dtype, key='f0', **options)


def test_top__without_what_it_refuses_and_without_headers(tmp_path):
    a = np.array([(1, 2), (0, 3), (1, 5), (0, 1)], 'i4,i4')
    (tmp_path / 'x').write_bytes(b'head' + a.tobytes())
    off = {'count': False, 'out': None, 'zstd': False, 'argsort': False, 'values': []}
    (tmp_path / 'y').write_bytes(a.tobytes())
    for x, options in ((a, off), (tmp_path / 'x', {**off, 'dtype': a.dtype, 'header': 4}), (tmp_path / 'y', {'dtype': a.dtype, 'header': 0})):
        found = gs.top(x, 3, key='f0', unique=True, sum=iter(['4:i32']), **options)
        assert found.tolist() == [(0, 4), (1, 7)]
