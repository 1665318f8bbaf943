"""Compares groups, aggregates, first elements, splits and compressed outputs of a cluster with those of one gsort."""
import glob
import json
import os
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from clustered import LONG, content, gen, gsort

import libgsort.ray as gr
from libgsort.ray import plan, tasks
from libgsort.ray.access import Access

TRADES = [('id', '<u2'), ('side', 'S2'), ('size', '<i4'), ('price', '<f8')]


def words(options):
    """As the program has them."""
    for name, value in options.items():
        word = '--' + name.replace('_', '-')
        if isinstance(value, list) and name != 'split_at':
            for one in value:
                yield from (word, one)
        elif value is not False:
            yield word if value is True else f"{word}={','.join(map(str, value)) if name == 'split_at' else value}"


def same(place, inputs, output, temp, verb=gr.sort_file, parts=0, **options):
    """Each file that one gsort makes is what the cluster makes, and nothing else is there."""
    os.makedirs('want')
    gsort(*words(options), *(['-m'] if verb is gr.merge else []), *inputs, '-o', f'want/{output}')
    before = sorted(os.listdir('.'))
    report = verb(inputs, output, parts=parts, memory='26M', **({'temp': str(place / 'nodes')} if temp else {}), **options)
    for name in os.listdir('want'):
        assert content(name) == content(f'want/{name}'), (name, options, temp)
        os.unlink(name)
        os.unlink(f'want/{name}')
    os.rmdir('want')
    before.remove('want')
    assert sorted(os.listdir('.')) == before and os.listdir('nodes') == []
    return report


def trades(count, ids, seed):
    rng = np.random.default_rng(seed)
    made = np.zeros(count, dtype=TRADES)
    made['id'], made['side'] = rng.integers(0, ids, count), rng.choice([b'b', b's'], count)
    made['size'], made['price'] = rng.integers(-2 ** 20, 2 ** 20, count), np.round(rng.normal(size=count), 2)
    made['price'][rng.random(count) < 0.01] = np.nan
    return made


CASES = [
    ({'unique': True, 'sum': ['4:i32'], 'min': ['8:f64']}, ''),  # early
    ({'unique': True, 'count': True, 'keep': 'last'}, ''),
    ({'unique': True, 'sum': ['8:f64'], 'group': 1}, ''),
    ({'unique': True, 'keep': 'dups', 'max': ['8:f64']}, ''),
    ({'unique': True, 'sum': ['4:i32:wide']}, ''),
    ({'unique': True, 'keep': 'singles', 'reverse': True}, ''),
    ({'unique': True, 'group': 1, 'split_at': [3, 900]}, '.%02d'),
    ({'unique': True, 'top': 20}, ''),
    ({'top': 3000}, ''),
    ({'split': 3}, '.%d'),
    ({'split_at': [2, 3, 800], 'reverse': True}, '.%03d'),
    ({'zstd': 3}, ''),
    ({'unique': True, 'group': 1, 'sum': ['4:i32']}, ''),
]
SHORT = [CASES[i] for i in (0, 1, 6, 8, -1)]


def test_records__same_bytes(cluster, place):
    for seed, ids in enumerate([1, 50, 3000] if LONG else [50]):
        trades(130_000, ids, seed).tofile('x')
        for i, (options, end) in enumerate(CASES if LONG else SHORT):
            if options.get('reverse') and 'split_at' in options:
                options = {**options, 'split_at': options['split_at'][::-1]}
            for temp in (False, True) if LONG else (i % 2 == 0,):
                report = same(place, ['x'], 'out' + end, temp, parts=0 if {'top', 'split', 'split_at'} & options.keys() else 7, record=16,
                              key=['0:u16', '2:b2'], **options)
                assert report.count == 130_000


def test_npy_and_numbers__same_bytes(cluster, place):
    np.save('t.npy', trades(60_000, 700, 9))
    same(place, ['t.npy'], 'out.npy', True, parts=3, key=['id', 'side:desc'], unique=True, sum=['size'], max=['price'])
    same(place, ['t.npy'], 'out.npy', False, parts=3, key=['id'], unique=True, count=True)
    gen('few', 'f64', 300_000, 'x.f64')
    same(place, ['x.f64'], 'out.f64.zst', True, parts=4)
    gsort('x.f64', '-o', 's.f64')
    same(place, ['s.f64', 's.f64'], 'out', False, gr.merge, parts=5, unique=True, count=True)
    if LONG:
        same(place, ['t.npy'], 'out.%d.npy', True, key=['price:desc', 'id'], split_at=[0.5, -0.25])
        same(place, ['x.f64'], 'out', True, parts=5, unique=True, count=True, reverse=True)
        same(place, ['x.f64'], 'out.npy', False, top=1000)
        open('none.f64', 'w').close()
        same(place, ['none.f64'], 'out.f64.zst', False, parts=2)
        same(place, ['none.f64'], 'out.f64', False, parts=2, unique=True)
        same(place, ['s.f64'], 'out.%d.f64', False, gr.merge, split_at=['-1', '0.5'])


def test_sums_of_pieces_that_do_not_fit__that_of_all_does(cluster, place):
    made = np.zeros(400_000, dtype=[('k', '<i4'), ('n', '<i4')])
    made['n'] = np.repeat([2 ** 30, -2 ** 30], 200_000)
    made.tofile('x')
    same(place, ['x'], 'out', True, parts=2, record=8, key=['0:i32'], unique=True, sum=['4:i32'])


def test_a_sum_of_a_piece_that_does_not_fit__is_recognized_by_the_exit_status(place):
    np.zeros(9, 'i4,i4').tofile('x')
    made = plan.make(['x'], str(place / 'out'), {'record': 8, 'key': ['0:i32'], 'unique': True, 'sum': ['4:i32']}, parts=2, temp=str(place / 'nodes'), work=None,
                     is_sorted=False, resume=False, program=None, cpus=1, access=Access())
    (place / 'gsort').write_text('#!/bin/bash\n[[ "$*" != *--sum* ]] || { echo "gsort: in other words" >&2; exit 2; }\nexec gsort "$@"\n')
    (place / 'gsort').chmod(0o755)
    assert tasks.sort_piece(replace(made.job, program=str(place / 'gsort')), made.pieces[0], 0, '', str(place / 'nodes')).count == 9


def test_sums_of_floats__by_any_name_of_the_type__are_rounded_once(cluster, place):
    made = np.zeros(4, dtype=[('k', '<u4'), ('n', '<f8')])
    made['n'] = [1e16, 1, -1e16, 0]
    made[:2].tofile('0')
    made[2:].tofile('1')
    for type_ in 'double', 'F64':
        same(place, ['0', '1'], 'out', False, record=12, key=['0:u32'], unique=True, sum=[f'4:{type_}'])


def test_header_of_what_is_packed__comes_unpacked(cluster, place):
    gen('few', 'u64', 10_000, 'x.u64')
    subprocess.run(['zstd', '-q', 'x.u64'], check=True)
    for temp, options in (True, {}), (False, {'unique': True}):
        same(place, ['x.u64.zst'], 'out.u64', temp, parts=2, header=16, type='u64', **options)


def test_repeated__also_where_each_is_in_another_piece(cluster, place):
    gen('uniform', 'u64', 200_000, 'x.u64')
    same(place, ['x.u64', 'x.u64'], 'out.u64', True, parts=2, unique=True, keep='repeated')


def test_fold_of_a_later_key__says_not_which_record_is_kept(cluster, place):
    made = np.zeros(300_000, dtype=[('k', '<u4'), ('n', '<u4'), ('c', 'S4')])
    rng = np.random.default_rng(4)
    made['k'], made['n'], made['c'] = rng.integers(0, 900, 300_000), rng.integers(0, 1000, 300_000), rng.choice([b'A', b'B', b'C'], 300_000)
    made.tofile('x')
    for fold, keep in ('sum', 'first'), ('max', 'first'), ('min', 'last'):
        same(place, ['x'], 'out', True, parts=3, record=12, key=['0:u32', '4:u32'], unique=True, group=1, keep=keep, **{fold: ['4:u32']})


def test_parts_of_groups__in_a_folder(cluster, place):
    gen('zipf', 'u32', 300_000, 'x.u32')
    gsort('-u', 'x.u32', '-o', 'want.u32')
    gr.sort_file('x.u32', 'out/', parts=9, temp=str(place / 'nodes'), unique=True)
    with open('out/manifest.json', encoding='utf-8') as file:
        manifest = json.load(file)
    assert b''.join(content(f"out/{part['file']}") for part in manifest) == content('want.u32')
    assert sum(part['unique_count'] for part in manifest) == os.path.getsize('want.u32') // 4


@pytest.mark.parametrize('options, said', [({'unique': True, 'split': 3}, 'split .*unique'), ({'top': 5, 'parts': 2}, '^top.* parts or split$'), ({'keep': 'last'}, 'keep .*unique'),
                                           ({'split_at': [5, 3]}, 'is not after'), ({'split': 2, 'resume': True}, '^split: cannot be used with resume'),
                                           ({'split': 2, 'parts': 3}, ' cannot be used with parts or'), ({'unique': True, 'group': 2}, 'group')])
def test_what_does_not_go_together__one_line(cluster, place, options, said):
    gen('uniform', 'u64', 100, 'x.u64')
    with pytest.raises((ValueError, gr.GsortError), match=said) as error:
        gr.sort_file('x.u64', 'out.%d', **options)
    assert '\n' not in str(error.value) and '--' not in str(error.value) and sorted(glob.glob('*')) == ['nodes', 'x.u64']
