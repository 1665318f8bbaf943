"""Tests keywords: each call accepts the options of the library, and converts values to the texts that it parses."""
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import libgsort as gs
from libgsort import keywords

ROOT = Path(__file__).resolve().parents[2]
MAKE = ROOT / 'tools' / 'python' / 'make_options.py'


def test_types_of_keywords__are_those_of_the_table():
    made = subprocess.run([sys.executable, MAKE], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert (ROOT / 'tools/python/libgsort/_options.py').read_text() == made, f'make it anew: {MAKE.__doc__} {MAKE} >libgsort/_options.py'


def test_options__have_their_help():
    told = gs.options()
    assert told['memory'].startswith('Use at most SIZE') and told['threads'] == told['parallel'] and all(told.values())
    assert {'quiet', 'input', 'check', 'help'}.isdisjoint(told)


def text_of(keyword, value):
    return keywords.texts_of(keywords.row_of(keyword), value)


@pytest.mark.parametrize('keyword, value, texts', [
    ('reverse', True, [b'true']), ('reverse', np.bool_(False), [b'false']), ('merge', 'union', [b'union']), ('zstd', True, [b'true']),
    ('top', 10 ** 18, [b'1000000000000000000']), ('top', np.uint64(2 ** 64 - 1), [b'18446744073709551615']), ('memory', '25%', [b'25%']),
    ('quantiles', 1e-05, [b'0.00001']), ('quantiles', (0.5, np.float32(0.25), 'median', 1), [b'0.5', b'0.25', b'median', b'1']),
    ('split_at', [-2.0 ** 100], [b'-1267650600228229401496703205376']), ('split_at', np.array([3, 7]), [b'3', b'7']), ('split_at', float('inf'), [b'inf']),
    ('find', 2.0 ** 63, [b'9223372036854775808']), ('split_at', [2.0, np.float32(2 ** 30), np.float16(65504)], [b'2', b'1073741824', b'65504']),
    ('find', np.float32(0.1), [b'0.100000001490116119384765625']), ('find', ml_dtypes.bfloat16(2.0 ** 63), [b'9223372036854775808']),
    ('find', -0.0, [b'-0']), ('find', -np.inf, [b'-inf']), ('find', np.float64('nan'), [b'nan']), ('find', 2 ** 64 - 1, [b'18446744073709551615']),
    ('find', np.datetime64('2020'), [b'2020-01-01']), ('find', np.datetime64('2020-01-05T10', 's'), [b'2020-01-05T10:00:00']),
    ('temp', Path('/a,b'), [b'/a,b']), ('temp', ['a', b'\xff'], [b'a', b'\xff']), ('key', [], []), ('key', (text for text in 'ab'), [b'a', b'b'])])
def test_values__become_texts(keyword, value, texts):
    assert text_of(keyword, value) == texts


@pytest.mark.parametrize('keyword, value, said', [
    ('memory', object(), 'memory: object is not text or a number'), ('range', (1, 2), 'range: takes one value, not a tuple'),
    ('temp', 3, 'temporary-directory: int is not a path'), ('resume', True, 'resume: bool is not a path'), ('key', [None], 'key: NoneType is not text')])
def test_values__of_no_kind__are_type_errors(keyword, value, said):
    with pytest.raises(TypeError, match=said):
        text_of(keyword, value)


@pytest.mark.parametrize('keyword, near', [
    ('keyz', "'by'"), ('descnding', "'descending'"), ('counts', "'count'"), ('header_bytes', "'header'"), ('zstd_level', "'zstd'"), ('verify_read', "'verify'"), ('set', ''),
    ('check', ''), ('progess', ''), ('quiet', '')])
def test_keyword__that_is_none__is_named_with_the_nearest(tmp_path, keyword, near):
    np.zeros(3).tofile(tmp_path / 'x.f64')
    for call in (lambda **options: gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y', **options), lambda **options: gs.stats(tmp_path / 'x.f64', **options),
                 lambda **options: gs.sort(np.zeros(3), **options), lambda **options: gs.argsort(np.zeros(3), **options),
                 lambda **options: gs.top(np.zeros(3), 1, **options), lambda **options: gs.Sorter('f8', **options)):
        with pytest.raises(TypeError, match=f"'{keyword}' is not an option.*{near}"):
            call(**{keyword: 1})


@pytest.mark.parametrize('keyword, said', [('ascending', 'descending=True'), ('inplace', 'in place'), ('nulls_last', "nan='last'")])
def test_keyword__of_numpy_and_pandas__is_answered_with_what_is_here(keyword, said):
    for call in gs.sort, gs.argsort:
        with pytest.raises(TypeError, match=rf"{call.__name__}\(\): '{keyword}' is not an option; .*{said}"):
            call(np.zeros(3), **{keyword: 1})


def test_none__is_not_given(tmp_path):
    np.array([2.0, 1]).tofile(tmp_path / 'x.f64')
    options = dict.fromkeys(keyword for keyword in gs.options() if keyword != 'output')
    assert gs.sort_file(tmp_path / 'x.f64', tmp_path / 'y.f64', **options, progress=None).count == 2
    assert np.fromfile(tmp_path / 'y.f64').tolist() == [1, 2]


def test_other_names__mean_the_same():
    assert keywords.row_of('threads').name == b'parallel' and keywords.row_of('temp').name == b'temporary-directory'
    for name in 'threads', 'parallel':
        for call in (lambda **options: gs.sort(np.zeros(3), **options), lambda **options: gs.Sorter('f8', **options)):
            with pytest.raises(gs.UsageError, match=f"^{name}: '5000'"):
                call(**{name: 5000})
    with pytest.raises(gs.UsageError, match='^memory: 1024 bytes'):
        gs.sort(np.zeros(3), memory='1K')


def test_messages__name_keywords(tmp_path):
    (tmp_path / 'x --memory y').write_bytes(b'12345678' * 3)
    src, dst = tmp_path / 'x --memory y', tmp_path / 'out'
    calls = [
        ({'threads': 0}, '^threads: '), ({'memory': 'x'}, '^memory: '), ({'memory': 5}, '^memory: '), ({'count': True}, '^count .*unique'),
        ({'stats_of': '0:u32'}, '^stats_of .*record'), ({'record': 7}, 'header=3.*drop_tail'), ({'type': 'u7'}, '^type: '),
        ({'quantiles': 2}, '^quantiles: '), ({'strict': True, 'type': None}, "'.*/x --memory y': .*strict"),
        ({'where': 'z'}, '^where: '), ({'temp': [tmp_path], 'resume': tmp_path}, 'resume cannot be used with temp: '),
        ({'temporary_directory': [tmp_path], 'resume': tmp_path}, 'resume cannot be used with temporary_directory: ')]
    for options, said in calls:
        with pytest.raises(gs.Error, match=said) as failed:
            gs.sort_file(src, dst, **{'type': None if 'record' in options else 'u64', **options})
        assert '--' not in str(failed.value).replace('x --memory y', ''), options
    with pytest.raises(gs.UsageError, match=r'^mode .*stats\(\)'):
        gs.stats(src, type='u64', mode=True)
    with pytest.warns(gs.NoteWarning, match='x --memory y: sorted as u64 by default.*; set the type with type'):
        gs.sort_file(src, dst)


@pytest.mark.parametrize('keyword', list(keywords.ROWS))
def test_messages__have_each_keyword(keyword):
    name = '--' + keywords.ROWS[keyword].name.decode()
    assert keywords.in_keywords(f'{name}: 3', [keyword]) == f'{keyword}: 3' and keywords.in_keywords(f'x ({name}=N)', [keyword]) == f'x ({keyword}=N)'
    for text in f"'{name}': no {name}x, a{name} or -{name}", f"gsort -t TYPE, laszip -i FILE -o FILE.las, {name}-other":
        assert keywords.in_keywords(text) == text


def test_order__is_numpys_word_for_key():
    a = np.array([(1, 2.0), (2, 1.0)], [('i', '<i4'), ('x', '<f8')])
    want = gs.argsort(a, order='-i').tolist()
    assert want == gs.argsort(a, key='-i').tolist() == gs.argsort(a, key='i:desc').tolist() == gs.argsort(a, key='0:i32:desc').tolist() == [1, 0]
    for call in gs.sort, gs.argsort:
        with pytest.raises(TypeError, match='order and key'):
            call(a, order='i', key='i')


@pytest.mark.parametrize('dtype', ['<f8', '>f8', '<i8'])
def test_key__of_plain_numbers__is_not_ignored(dtype):
    a = np.array([-1, 5, -7, 3], dtype)
    want = a[np.argsort(a.view('<u8'))[::-1]]
    gs.sort(a, key='0:u64:desc')
    assert a.tolist() == want.tolist()


def test_flags__may_be_texts():
    times = np.array([5, 'NaT', 3], 'M8[s]')
    for reverse, want in (('false', [2, 0, 1]), ('true', [1, 0, 2]), (np.bool_(True), [1, 0, 2])):
        assert gs.argsort(times, reverse=reverse).tolist() == want
    with gs.Sorter('u4', unique=True, count='false') as s:
        assert s.block_dtype == np.dtype('u4')


def test_quantile__of_a_fraction__is_the_librarys_to_refuse(tmp_path):
    np.zeros(3).tofile(tmp_path / 'x.f64')
    with pytest.raises(gs.UsageError, match='1/3'):
        gs.stats(tmp_path / 'x.f64', quantiles=Fraction(1, 3))


def test_type_and_record__in_the_librarys_words(tmp_path):
    a = np.array([3, 1, 2], '<u2')
    a.tofile(tmp_path / 'x')
    gs.sort_file(tmp_path / 'x', tmp_path / 'y', type='u16')
    assert np.fromfile(tmp_path / 'y', '<u2').tolist() == [1, 2, 3] == gs.top(tmp_path / 'x', 3, type='u16').tolist()
    assert gs.find(tmp_path / 'y', 2, type='u16') == slice(1, 2)
    assert gs.top(tmp_path / 'x', 2, record=2, key='0:u16').tobytes() == np.sort(a)[:2].tobytes()
    with pytest.raises(TypeError, match='type and record'):
        gs.sort_file(tmp_path / 'x', tmp_path / 'y', dtype='<u2', type='u16')
    with pytest.raises(TypeError, match='neither output nor into'):
        gs.merge(tmp_path / 'y', type='u16')
