"""Compares gs.argsort and gs.Sorter with NumPy."""
import array
import ctypes
import datetime
import gc
import itertools
import os
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays
from interrupting import interrupt_when_it_waits

import libgsort as gs

RECORD = np.dtype([('k', '<i4'), ('place', '<u4'), ('rest', 'S5')])


def records(count, most=5, seed=1):
    a = np.zeros(count, RECORD)
    a['k'] = np.random.default_rng(seed).integers(0, most, count)
    a['place'] = np.arange(count)
    return a


def everything(sorter):
    return np.concatenate([*sorter, np.zeros(0, sorter.block_dtype)])


@pytest.mark.parametrize('dtype', ['<u4', '<i4', '<u8', '<i8', '>i4', '<i2', 'S3', 'U2', '<M8[s]'])
@given(data=some.data())
def test_argsort__is_stable_as_numpys(dtype, data):
    a = data.draw(arrays.arrays(dtype, some.integers(0, 200), fill=some.nothing()))
    a = a[data.draw(arrays.arrays('i8', len(a), elements=some.integers(0, max(len(a) // 3, 0))))] if len(a) else a
    np.testing.assert_array_equal(gs.argsort(a), np.argsort(a, kind='stable'))


@pytest.mark.parametrize('dtype', ['<f4', '<f8', '>f8'])
@given(data=some.data())
def test_argsort__of_floats__with_nans(dtype, data):
    a = data.draw(arrays.arrays(dtype, some.integers(0, 200), elements=some.sampled_from([0.5, 1.0, -2.0, np.inf, -np.inf, np.nan])))
    np.testing.assert_array_equal(gs.argsort(a), np.argsort(a, kind='stable'))


def test_argsort__by_fields_reverse_strided_out(tmp_path):
    a = records(3000)
    assert (gs.argsort(a, order='k') == np.argsort(a['k'], kind='stable')).all()
    assert (gs.argsort(a, order='-k') == np.argsort(-a['k'], kind='stable')).all()
    assert (gs.argsort(a['k'][::-2]) == np.argsort(a['k'][::-2], kind='stable')).all()
    out = np.memmap(tmp_path / 'places', np.uint64, 'w+', shape=a.shape)
    assert gs.argsort(a, order='k', out=out) is out and (out == np.argsort(a['k'], kind='stable')).all()
    for wrong in (np.zeros(2999, 'u8'), np.zeros(3000, 'u4'), np.zeros(6000, 'u8')[::2]):
        with pytest.raises(ValueError, match='out: '):
            gs.argsort(a, out=wrong)
    same = np.zeros(10, 'u8')
    with pytest.raises(ValueError, match='shares memory with the array'):
        gs.argsort(same, out=same)


@pytest.mark.parametrize('dtype', ['u8', '>u8'])
def test_argsort__places_in_the_memory_of_the_array__are_refused(dtype):
    a = np.arange(10, dtype=dtype)
    for array, out in (a, a), (a[::2], a[:5]), (a[::-1], a):
        with pytest.raises(ValueError, match=r'^out shares memory with the array; '):
            gs.argsort(array, out=out.view('u8'))
    assert a.tolist() == list(range(10))


@pytest.mark.parametrize('reverse', [False, True])
def test_argsort__nats_are_last(reverse):
    a = np.array([5, 'NaT', 3, 'NaT', 4], 'M8[s]')
    assert gs.argsort(a, reverse=reverse).tolist() == ([1, 3, 0, 4, 2] if reverse else [2, 4, 0, 1, 3])


def test_sorter__any_pieces__come_out_in_order(tmp_path):
    a = np.random.default_rng(2).normal(size=1_000_000)
    with gs.Sorter('f8', memory='16M', temp=tmp_path) as s:
        s.push(a[:0])
        s.push(a[:1])
        s.push(a[1:300_001:2])  # strided
        s.push(a[2:300_001:2])
        s.push(a[300_001:400_000].tobytes())
        s.push(memoryview(a[400_000:]))
        assert (everything(s) == np.sort(a)).all()
        report = s.report()
    assert report.count == len(a) and report.spilled_bytes > 0 and report.max == a.max()


def test_sorter__records__are_stable_and_by_keys():
    a = records(100_000)
    with gs.Sorter(RECORD, key='-k', memory='32M') as s:
        for begin in range(0, len(a), 7001):
            s.push(a[begin:begin + 7001])
        assert (everything(s) == a[np.argsort(-a['k'], kind='stable')]).all()


def test_sorter__top_unique_counts_reverse():
    a = np.random.default_rng(3).integers(0, 1000, 50_000)
    values, counts = np.unique(a, return_counts=True)
    for options, want in (({'top': 10}, np.sort(a)[:10]), ({'unique': True}, values), ({'reverse': True}, np.sort(a)[::-1])):
        with gs.Sorter('i8', **options) as s:
            s.push(a)
            np.testing.assert_array_equal(everything(s), want)
    with gs.Sorter(RECORD, key=['k', 'place'], unique=True, keep='last', group=1) as s:
        s.push(records(1000))
        last = {k: place for k, place in zip(records(1000)['k'].tolist(), range(1000))}
        assert dict(everything(s)[['k', 'place']].tolist()) == last
    with pytest.raises(ValueError, match="'some' is not one of: first last singles dups"):
        gs.Sorter('i8', unique=True, keep='some')
    with pytest.raises(ValueError, match='^sum=OFF:TYPE:wide cannot be used with a sorter: '):
        gs.Sorter(RECORD, key='k', unique=True, sum='8:i64:wide')
    with gs.Sorter('u4', unique=True, count=b'true') as s:
        s.push(np.array([3, 1, 1], 'u4'))
        assert everything(s).tolist() == [(1, 2), (3, 1)]
    with gs.Sorter('i8', unique=True, count=True) as s:
        s.push(a)
        found = everything(s)
    assert (found['value'] == values).all() and (found['count'] == counts).all()
    with gs.Sorter(RECORD, key='k', unique=True, count=True) as s:
        s.push(records(1000))
        found = everything(s)
    assert found['count'].sum() == 1000 and found['k'].tolist() == [0, 1, 2, 3, 4]


def test_sorter__rank():
    a = np.random.default_rng(4).integers(0, 1000, 50_000)
    with gs.Sorter('i8') as s:
        s.push(a)
        assert s.rank(25_000) == np.sort(a)[25_000]
        assert s.rank_of(500) == ((a < 500).sum(), (a <= 500).sum())
        with pytest.raises(gs.UsageError):
            s.rank(50_000)
        for none in (-1, 2 ** 64, 2 ** 64 + 3):
            with pytest.raises(IndexError):
                s.rank(none)
        assert (everything(s) == np.sort(a)).all()


RECORDS = [(1, b'ab', 0.1, 'NaT'), (1, b'ac', 0.2, '2020-01-01'), (2, b'ab', 0.3, '2020-01-01')]


@pytest.mark.parametrize('dtype, elements, element, want', [
    ('i4', [1, 2, 2, 3], 2, (1, 3)), ('i4', [1, 2, 2, 3], 2.0, (1, 3)), ('i4', [1, 2, 2, 3], np.uint64(2), (1, 3)), ('i4', [1, 2, 2, 3], 2.5, None),
    ('u8', [1], np.int64(-1), None), ('i8', [1], np.uint64(2 ** 63), None), ('?', [True], 2, None), ('u8', [2 ** 64 - 1], 2 ** 64 - 1, (0, 1)),
    ('f4', [0.1, 0.2], 0.1, (0, 1)), ('>f4', [0.1, 0.2], np.float64(0.1), (0, 1)), ('f8', [1, np.nan], np.nan, (1, 2)),
    ('S2', [b'ab', b'ac'], b'ab', (0, 1)), ('S2', [b'ab', b'ac'], b'a', (0, 0)), ('S2', [b'ab', b'ac'], b'abz', None), ('U2', ['ab', 'ac'], 'abz', None),
    ('V2', [b'ab', b'ac'], b'ab', (0, 1)), ('V2', [b'ab', b'ac'], np.void(b'ac'), (1, 2)), ('V2', [b'ab', b'ac'], b'abz', None),
    ('V2', [b'a\0', b'ac'], b'a', None), ('V2', [b'\1\0'], np.int16(1), None), ('V2', [b'\1\0'], np.array(1, 'i2'), None),
    ('V16', [b'\1' + bytes(15)], np.int64(1), None), ('V16,i4', [(b'\1' + bytes(15), 1)], (np.int64(1), 1), None),
    ('M8[ns]', ['2020-01-01'], datetime.datetime(2020, 1, 1), (0, 1)), ('M8[ns]', ['2020-01-01'], pd.Timestamp('2020'), (0, 1)),
    ('M8[ns]', ['2020-01-01'], pd.Timestamp(1577836800 * 10 ** 9 + 1), (1, 1)), ('M8[ns]', ['2020-01-01'], '2020-01-01', (0, 1)),
    ('M8[D]', ['2020-01-01'], datetime.date(2020, 1, 1), (0, 1)), ('M8[D]', ['2020-01-01'], '2020-01-01', (0, 1)),
    ('M8[D]', ['2020-01-01'], datetime.datetime(2020, 1, 1, 1), None), ('M8[D]', ['2020-01-01'], '2020-01-01T01', None),
    ('M8[us]', ['2020-01-01'], pd.Timestamp(1577836800 * 10 ** 9 + 1), None), ('m8[s]', [60], datetime.timedelta(minutes=1), (0, 1)),
    ('m8[s]', [60], pd.Timedelta('1min'), (0, 1)), ('m8[s]', [60], pd.Timedelta(60 * 10 ** 9 + 1), None), ('m8[s]', [60], 60, (0, 1)),
    ('M8[D]', ['2020-01-01'], np.datetime64('2020-01-01', 's'), (0, 1)), ('M8[D]', ['2020-01-01'], np.datetime64('2020-01-01T12'), None),
    ('i4,S2,f4,M8[D]', RECORDS, RECORDS[0], (0, 1)), ('i4,S2,f4,M8[D]', RECORDS, np.array([RECORDS[2]], 'i4,S2,f4,M8[D]'), (2, 3)),
    ('i4,S2,f4,M8[D]', RECORDS, (1.5, *RECORDS[0][1:]), None), ('i4,S2,f4,M8[D]', RECORDS, (1, b'abz', *RECORDS[0][2:]), None)])
def test_sorter__rank_of_what_is_no_element__is_refused(dtype, elements, element, want):
    with gs.Sorter(dtype) as s:
        s.push(np.array(elements, dtype))
        if want is None:
            with pytest.raises(ValueError, match=r'^rank_of\(\): .* is not a value of .*; NumPy would convert it to '):
                s.rank_of(element)
        else:
            assert s.rank_of(element) == want


@pytest.mark.parametrize('dtype', ['i128', 'u128', 'i128be', 'u128be'])
def test_sorter__rank_of_integers_of_128_bits(dtype):
    numbers = [-2 ** 127, -1, 5, 2 ** 127 - 1] if dtype[0] == 'i' else [0, 5, 2 ** 64, 2 ** 128 - 1]
    bits = [number.to_bytes(16, 'big' if dtype.endswith('be') else 'little', signed=dtype[0] == 'i') for number in numbers]
    with gs.Sorter(dtype) as s:
        s.push(b''.join(reversed(bits)))
        for place, (number, given) in enumerate(zip(numbers, bits)):
            assert s.rank_of(number) == s.rank_of(given) == s.rank_of(np.void(given)) == (place, place + 1)
        assert s.rank_of(np.int64(4)) == s.rank_of(np.uint8(4)) == ((2, 2) if dtype[0] == 'i' else (1, 1))
        for none in (2 ** 128, -2 ** 128, *([] if dtype[0] == 'i' else [np.int64(-1)])):
            with pytest.raises(ValueError, match=rf'^rank_of\(\): {none} is not a value of {dtype}$'):
                s.rank_of(none)


def test_sorter__rank_of_halves__takes_their_bytes_alone():
    with gs.Sorter('bf16') as s:
        s.push(np.array([1, 2], ml_dtypes.bfloat16).tobytes())
        assert s.rank_of(ml_dtypes.bfloat16(2).tobytes()) == (1, 2)
        with pytest.raises(ValueError, match='is not a value'):
            s.rank_of(np.float16(1))
    with gs.Sorter(ml_dtypes.bfloat16) as s:
        s.push(np.array([1, 2], ml_dtypes.bfloat16))
        assert s.rank_of(2.0) == s.rank_of(np.float16(2)) == (1, 2)


def test_sorter__threads_push_beside_each_other():
    pieces = [np.random.default_rng(i).integers(0, 2 ** 60, 50_000) for i in range(4)]
    with gs.Sorter('i8', memory='16M') as s:
        threads = [threading.Thread(target=lambda piece=piece: [s.push(part) for part in np.split(piece, 10)]) for piece in pieces]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (everything(s) == np.sort(np.concatenate(pieces))).all()


def test_sorter__wrong_use__is_an_exception():
    with gs.Sorter('f8') as s:
        for wrong in (np.zeros(3, 'f4'), np.zeros((3, 3))):
            with pytest.raises(TypeError, match='the sorter accepts float64'):
                s.push(wrong)
        with pytest.raises(ValueError):
            s.push(b'1234567')
        with pytest.raises(TypeError, match=r'Sorter.push\(\): a masked array has no order; push a.compressed'):
            s.push(np.ma.masked_array([1.0, 2.0], mask=[True, False]))
        with pytest.raises(TypeError, match=r"Sorter.push\(\): list is neither an array nor an Arrow table"):
            s.push([1.0])
        s.push(np.ones(3))
        s.finish()
        with pytest.raises(gs.UsageError, match=r'^push\(\): must be called before finish\(\)$'):
            s.push(np.ones(3))
        with pytest.raises(gs.UsageError, match=r'^rank\(\): there is no rank 3 among 3 elements; the first rank is 0$'):
            s.rank(3)
    with pytest.raises(gs.UsageError, match='closed'):
        s.push(np.ones(3))
    with pytest.raises(gs.UsageError, match='type of the elements is not known'):
        gs.Sorter().push(np.ones(3))
    with pytest.raises(ValueError, match='is not a field'):
        gs.Sorter('f8', key='x')


@pytest.mark.parametrize('reverse', [False, True])
def test_sorter__nats_are_where_sort_has_them(reverse):
    a = np.array(['2021', 'NaT', '2019', 'NaT', '2020'], 'M8[s]')
    with gs.Sorter(a.dtype, reverse=reverse) as s:
        s.push(a)
        np.testing.assert_array_equal(np.concatenate(list(s)), gs.sorted(a, reverse=reverse))
        assert s.report().max == np.datetime64('2021', 's')


def test_push__buffers__are_of_the_dtype_or_of_bytes():
    for code in 'fq':
        with gs.Sorter('f8') as s, pytest.raises(TypeError, match=r'Sorter.push\(\): .* with 1 dimensions; the sorter accepts float64'):
            s.push(array.array(code, [2, 1]))
    doubles = array.array('d', [2, 1])
    with gs.Sorter('f8') as s:
        for given in doubles, memoryview(doubles), memoryview(doubles)[::-1], (ctypes.c_double * 2)(1, 2), doubles.tobytes(), \
                bytearray(doubles), memoryview(doubles).cast('b'), (ctypes.c_char * 16).from_buffer(doubles):
            s.push(given)
        assert everything(s).tolist() == [1.0] * 8 + [2.0] * 8


def test_sorter__nothing_pushed__nothing_comes():
    with gs.Sorter('f8') as s:
        assert list(s) == []


@pytest.fixture
def many(tmp_path):
    """Returns a sorter that returns many blocks, and the concatenation of these."""
    a = np.random.default_rng(6).integers(0, 2 ** 62, 1_000_000)
    with gs.Sorter('i8', memory='12M', temp=tmp_path) as s:
        s.push(a)
        yield s, np.sort(a)


def test_blocks__in_a_list__stay_as_they_came(many):
    s, want = many
    blocks = list(s)
    assert len(blocks) > 2 and (np.concatenate(blocks) == want).all()


def test_blocks__in_pairs__are_in_order(many):
    s, want = many
    before, behind = itertools.tee(s)
    next(behind)
    pairs = list(zip(before, behind))  # itertools.pairwise, of Python 3.10
    assert len(pairs) > 1 and all(a[-1] <= b[0] for a, b in pairs) and pairs[0][0][0] == want[0]


def test_blocks__the_last_one__is_there_after_the_loop_and_the_sorter(many):
    s, want = many
    for block in s:
        pass
    s.close()
    del s
    gc.collect()
    assert block[-1] == want[-1]
    block[0] = 0  # it is the caller's


def test_blocks__pulled_by_threads__are_each_their_own(many):
    s, want = many
    found = []
    threads = [threading.Thread(target=lambda: found.extend(s)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (np.concatenate(sorted(found, key=lambda block: block[0])) == want).all()


def test_blocks__that_are_lent__are_seen_without_a_copy(many):
    """It is valid until the next block is pulled, also if the sorter is closed or deleted."""
    s, want = many
    count = 0
    for block in s.blocks(copy=False):
        assert (block == want[count:count + len(block)]).all() and not block.flags.writeable
        count += len(block)
    assert count == len(want)
    with gs.Sorter('f8') as s:
        s.push(np.arange(1000.0))
        block = s.pull(copy=False)
        assert not block.flags.owndata
        with pytest.raises(ValueError, match='read-only'):
            block[0] = 1
    del s
    gc.collect()
    assert block.sum() == 999 * 500


@pytest.mark.parametrize('has_order', [False, True])
def test_blocks__of_which_one_is_lost__do_not_go_on(many, has_order):
    s, _ = many
    if has_order:
        s.rank(0)

    def fail(*_):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        s.pull_with(fail)
    with pytest.raises(gs.CanceledError):
        s.pull()


FORKS = '''
import gc, os, signal, sys
import numpy as np
import libgsort as gs

s = gs.Sorter('i8', memory='12M', temp='.', progress=lambda at: None)
a = np.random.default_rng(8).integers(0, 2 ** 62, 1_000_000)
s.push(a)
if 'pulled' in sys.argv:
    first = s.pull()
if 'lent' in sys.argv:
    first = s.pull(copy=False)
child = os.fork()
if child == 0:
    signal.alarm(60)  # what hangs is killed
    s_of_child = s
    for call in (lambda: s.push(a), s.finish, s.pull, lambda: list(s), lambda: s.rank(3), lambda: s.rank_of(3), s.report, s.__arrow_c_stream__):
        try:
            call()
            os._exit(3)
        except gs.UsageError as error:
            assert 'forked from it; open a new' in str(error), error
    s.cancel()
    with gs.Sorter('i8') as own:
        own.push(a[:100])
        assert (np.concatenate(list(own)) == np.sort(a[:100])).all()
    if 'close' in sys.argv:
        s._job.end = lambda: os._exit(4)  # of tqdm's bar: its lock may be held by a thread of the parent
        s.close()
    if 'forget' in sys.argv:
        del s, s_of_child
        gc.collect()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
blocks = list(s) if 'begin' in sys.argv else [first.copy(), *s]
assert (np.concatenate(blocks) == np.sort(a)).all()
'''


@pytest.mark.parametrize('how', [['begin', 'close'], ['pulled', 'forget'], ['lent', 'exit']])
def test_sorter__in_a_child_of_fork__is_the_parents(tmp_path, how):
    told = subprocess.run([sys.executable, '-W', 'ignore', '-c', FORKS, *how], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0 and told.stderr == '', told.stderr
    assert os.listdir(tmp_path) == []


def test_sorter__leaves_nothing(tmp_path):
    """No thread, no descriptor, no file, however it ends."""
    def used():
        gc.collect()
        return len(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task'))
    gs.sort(np.zeros(3))
    first = used()
    gc.disable()
    try:
        for i in range(12):
            s = gs.Sorter('f8', memory='16M', temp=tmp_path)
            s.push(np.random.default_rng(i).normal(size=600_000 * (i % 3)))
            if i % 2:
                s.pull()
            s.close()
            gs.sort(np.zeros(3))
            del s
        assert len(os.listdir('/proc/self/fd')) <= first[0] + 2
    finally:
        gc.enable()
    assert used() == first and os.listdir(tmp_path) == []


def test_sorter__sigint__cancels_what_waits():
    """A push waits for room that another thread has been lent, and has not filled; then the sorter says that it is canceled."""
    with gs.Sorter('f8', memory='16M') as s:
        is_lent, may_fill, failures = threading.Event(), threading.Event(), []

        def fill(room, begin, end):
            is_lent.set()
            may_fill.wait()

        def lend():
            try:
                s._fill(10, fill)
            except gs.CanceledError as error:
                failures.append(error)
        lender = threading.Thread(target=lend)
        lender.start()
        is_lent.wait()
        killer = interrupt_when_it_waits()
        with pytest.raises(KeyboardInterrupt):
            s.push(np.zeros(20_000_000))
        may_fill.set()
        for thread in (killer, lender):
            thread.join()
        assert len(failures) == 1
        with pytest.raises(gs.CanceledError):
            s.pull()


def test_sorter__canceled_from_another_thread():
    with gs.Sorter('f8') as s:
        s.push(np.zeros(10))
        s.cancel()
        with pytest.raises(gs.CanceledError):
            s.pull()


def test_sorter__count_beside_a_field_of_that_name__is_refused_at_once():
    with pytest.raises(gs.UsageError, match="^count: the elements already have a field 'count'"):
        gs.Sorter([('k', 'i4'), ('count', 'u8')], unique=True, count=True)
