"""Sorts on a cluster of three nodes of one processor, which starts once. The output has the bytes of one gsort."""
import errno
import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from clustered import LONG, content, gen, gsort, names_of_tasks

import libgsort as gs
import libgsort.ray as gr
from libgsort.ray import cut, queries, tasks
from libgsort.ray import gsort as child
from libgsort.ray.__main__ import _parser, main
from libgsort.ray.cut import Order


def left(place, *known):
    """Returns the files besides inputs and outputs, and the files that nodes keep in `nodes`."""
    return sorted(set(os.listdir(place)) - {*known, 'nodes'}) + (os.listdir(place / 'nodes') if (place / 'nodes').exists() else [])


def same(place, inputs, name, options, named, temps=(None, 'nodes'), **more):
    """Compares the output of gsort on one machine with outputs of the cluster, with shared sorted files and with files of nodes."""
    gsort(*named, *inputs, '-o', 'want' + name)
    before = sorted(os.listdir(place))
    for temp in temps:
        report = gr.sort_file(list(inputs), 'out' + name, memory='26M', temp=temp and str(place / temp), **options, **more)
        assert content('out' + name) == content('want' + name), (name, temp)
        os.unlink('out' + name)
        assert sorted(os.listdir(place)) == before and (temp is None or not os.listdir(place / temp))
    os.unlink('want' + name)
    return report


# ---- cuts, without a cluster ----


def cuts_of(order, files, ranks):
    counts = np.array([[len(file) for file in files]] * len(ranks), np.int64)
    return cut.find(order, ranks, counts, lambda asked: [files[f][places].tobytes() for f, places in asked])


def random_file(rng, order):
    count, most = int(rng.choice([0, 1, 3, 100, 1000, 20000])), int(rng.choice([1, 3, 1000, 2 ** 16]))
    if order.type == 'record':
        file = np.zeros(count, dtype=[('p', '<u4'), ('k', '<u2'), ('q', 'V6')])
        file['k'], file['p'] = rng.integers(0, most, count), rng.integers(0, 2 ** 32, count)
    else:
        file = (rng.integers(0, most, count) - most // 2).astype({'f32': '<f4', 'i64': '<i8'}[order.type])
        file[rng.random(count) < 0.01] = np.nan if order.type == 'f32' else 7
    return file[order.argsort(file.tobytes()).astype(np.int64)] if count else file


def test_cuts__are_those_of_the_whole_order():
    rng = np.random.default_rng(7)
    for case in range(int(os.environ.get('CASES', 10_000)) if LONG else 8):
        order = [Order('i64', 8, (), False), Order('f32', 4, (), True), Order('record', 12, ('4:u16',), bool(case % 2))][case % 3]
        files = [random_file(rng, order) for _ in range(int(rng.integers(0, 9)))]
        total, parts = sum(map(len, files)), int(rng.choice([1, 2, 7, 40]))
        ranks = [cut.part_begin(total, i, parts) for i in range(parts + 1)]
        found = cuts_of(order, files, ranks)
        whole = order.argsort(b''.join(file.tobytes() for file in files)).astype(np.int64) if total else np.empty(0, np.int64)
        file_of = np.repeat(np.arange(len(files)), [len(file) for file in files])[whole]
        for row, rank in enumerate(ranks):
            assert (found[row] == np.bincount(file_of[:rank], minlength=len(files))).all(), (case, rank)


# ---- the same bytes ----


def test_sort__numbers__same_bytes(cluster, place):
    types = ['uint8', 'i16', 'f16', 'u32', 'f32', 'i64', 'f64', 'u64be', 'u128', 'i128', 'bf16', 'time64'] if LONG else ['f32']
    dists = ['uniform', 'few', 'sorted', 'reverse', 'zipf', 'equal', 'specials'] if LONG else ['few']
    for type_, dist in itertools.product(types, dists):
        made = {'u64be': 'u64', 'u128': 'u64', 'i128': 'u64', 'time64': 'u64', 'f16': 'u32', 'bf16': 'u32', 'uint8': 'u32', 'i16': 'u32'}.get(type_, type_)
        gen(dist, made, 400_000, f'x.{type_}')
        for parts, reverse in ((1, True), (7, False)) if LONG else ((7, True),):
            same(place, [f'x.{type_}'], '.' + type_, {'parts': parts, 'reverse': reverse}, ['-r'] if reverse else [],
                 (None, 'nodes') if LONG else ('nodes',))
        os.unlink(f'x.{type_}')


def test_sort__records__equal_keys_keep_their_order(cluster, place):
    gen('few', 'u64', 400_000, 'x')
    gen('few', 'u64', 150_000, 'y', seed=2)
    for keys in (['4:u16:desc'], ['0:uint8', '9:b3'], []) if LONG else (['4:u16:desc'],):
        report = same(place, ['x', 'y'], '', {'parts': 5, 'record': 16, 'key': keys}, ['-R', '16', *(w for key in keys for w in ('-k', key))])
    assert report.count == 275_000 and report.ray['maps'] > 3 and report.ray['nodes'] == 3


def test_sort__small_inputs__same_bytes(cluster, place):
    gen('uniform', 'u64', 1, 'one.u64')
    gen('uniform', 'u64', 3, 'three.u64')
    open('none.u64', 'w').close()
    for inputs, parts in (['none.u64'], 3), (['one.u64'], 1), (['none.u64', 'three.u64', 'one.u64'], 7):
        gsort(*inputs, '-o', 'want.u64')
        for temp in (None, str(place / 'nodes')) if LONG or parts == 7 else (None,):
            gr.sort_file(inputs, 'out.u64', parts=parts, temp=temp)
            assert content('out.u64') == content('want.u64')


def test_sort__npy_packed_header_where__same_bytes(cluster, place):
    trades = np.zeros(200_000, dtype=[('time', '<i8'), ('price', '<f8'), ('size', '<i4')])
    trades['time'], trades['price'] = np.arange(200_000), np.arange(200_000) * 7919 % 1000
    np.save('t.npy', trades)
    same(place, ['t.npy'], '.npy', {'parts': 3, 'key': ['price:desc']}, ['-k', 'price:desc'], [None, 'nodes'] if LONG else ['nodes'])
    gen('normal', 'f64', 300_000, 'x.f64')
    subprocess.run(['zstd', '-q', 'x.f64'], check=True)
    report = same(place, ['x.f64.zst'], '.f64', {'parts': 2, 'where': ['>0']}, ['--where', '>0'], [None])
    want = child.run('gsort', ['x.f64.zst', '--where', '>0', '-o', 'want.f64'])
    os.unlink('want.f64')
    for name in 'left_out_count', 'left_out_fingerprint':
        assert report.details[name] == want[name] != 0
    same(place, ['x.f64'], '.f64', {'parts': 2, 'header': 16}, ['--header', '16'], [None, 'nodes'] if LONG else ['nodes'])


def test_sort__into_a_folder__parts_and_manifest(cluster, place):
    gen('uniform', 'u32', 300_001, 'x.u32')
    gsort('x.u32', '-o', 'want.u32')
    for temp in (None, str(place / 'nodes')) if LONG else (None,):
        gr.sort_file('x.u32', 'out/', parts=4, temp=temp, memory='26M')
        with open('out/manifest.json', encoding='utf-8') as file:
            manifest = json.load(file)
        assert b''.join(content(f"out/{part['file']}") for part in manifest) == content('want.u32')
        assert [part['first'] for part in manifest] == [300_001 * i // 4 for i in range(4)]
        assert left(place, 'x.u32', 'want.u32', 'out') == []


def test_sort__into_a_file_of_another_try__nothing_of_that_stays(cluster, place):
    gen('uniform', 'u32', 1000, 'x.u32')
    gsort('x.u32', '-o', 'want.u32')

    def put(at):
        if at.phase == 'read':
            os.makedirs('out.gsort-ray/whole')
            (place / 'out.gsort-ray/whole/part-00001.u32').write_bytes(b'x' * 10_000)

    gr.sort_file('x.u32', 'out/', parts=1, temp=str(place / 'nodes'), progress=put)
    assert content('out/part-00001.u32') == content('want.u32')


def test_sort__names_of_any_bytes(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    for name in 'größe.u64', os.fsdecode(b'o\xff\n\\.u64'):
        gr.sort_file('x.u64', name)
        assert content(name) == content('want.u64')


def test_parts__are_merged_where_their_data_are(cluster, place):
    gen('sorted', 'u64', 300_000, 'x.u64')
    seen = []
    report = gr.sort_file('x.u64', 'out.u64', parts=3, temp=str(place / 'nodes'), memory='26M', progress=seen.append)
    assert report.ray['maps'] == 3 and report.ray['net_bytes'] == 0
    assert content('out.u64') == content('x.u64')
    assert {phase: max(at.bytes_done for at in seen if at.phase == phase) for phase in ('read', 'write')} == {'read': 2_400_000, 'write': 2_400_000}


def test_merge__of_sorted_files__same_bytes(cluster, place):
    for i in range(3):
        gen('zipf', 'u64', 50_000, 'raw', seed=i)
        gsort('-t', 'u64', 'raw', '-o', f'{i}.u64')
    gsort('-m', '0.u64', '1.u64', '2.u64', '-o', 'want.u64')
    gr.merge('?.u64', 'out.u64', parts=4)
    assert content('out.u64') == content('want.u64')


def test_sort__words_of_numpy__a_report_and_errors_as_everywhere(cluster, place):
    a = np.zeros(1_000_000, [('time', '<i4'), ('price', '<f8')])
    rng = np.random.default_rng(1)
    a['time'], a['price'] = rng.integers(0, 50, len(a)), rng.integers(0, 9, len(a))
    a.tofile('trades')
    tasks = set()
    report = gr.sort_file('trades', 'out', dtype=a.dtype, key=['price', '-time'], memory='26M', parts=6,
                          progress=lambda at: tasks.update(name for _, name in names_of_tasks().values()))
    gs.sort_file('trades', 'want', dtype=a.dtype, key=['price', '-time'])
    assert content('out') == content('want')
    assert isinstance(report, gs.Report) and report.count == len(a) and report.seconds > 0 and report.ray['parts'] == 6
    assert 'count=1000000' in repr(report) and report.phases == ()
    assert tasks >= {'gsort sort piece', 'gsort merge part'}
    gr.sort_file('trades', 'out', dtype='V12', key='0:i4')
    gs.sort_file('trades', 'want', dtype='V12', key='0:i4')
    assert content('out') == content('want')
    for wrong, kind, said in ({'dtype': 'V7'}, gs.UsageError, 'not a whole number of elements'), ({'dtype': 'f8', 'type': 'u64'}, TypeError, r'sort_file\(\): type and'), \
            ({'spede': 1}, TypeError, r"sort_file\(\): 'spede' is not an option"), ({'where': 'x'}, gr.GsortError, 'where'):
        with pytest.raises(kind, match=said):
            gr.sort_file('trades', 'other', **wrong)
    with pytest.raises(FileNotFoundError, match='none') as raised:
        gr.sort_file('none*', 'other')
    assert isinstance(raised.value, gs.FileError) and issubclass(gr.GsortError, gs.Error)
    assert left(place, 'trades', 'out', 'want') == []


# ---- the program ----


def test_options__reach_gsort_by_their_names():
    typed = vars(_parser().parse_args('sort x -o y -R 16 -k 0:u8 -k 8:f64:desc --threads 2 -u --sum 4:i32 --zstd --split-at 1,2 --where >0'.split()))
    given = child.given({name: value for name, value in typed.items() if name in child.OPTIONS})
    assert given == child.given({'record': 16, 'key': ['0:u8', '8:f64:desc'], 'threads': 2, 'unique': True, 'sum': ['4:i32'], 'zstd': True,
                                 'split_at': ['1', '2'], 'where': ['>0'], 'count': None})
    assert child.words(given, child.OPTIONS) == ('--record', '16', '--key', '0:u8', '--key', '8:f64:desc', '--where', '>0', '--unique', '--sum', '4:i32',
                                         '--split-at', '1,2', '--zstd', '--parallel', '2')
    assert child.words({'reverse': False, 'zstd': 3, 'raw': 'true', 'split_at': []}, child.OPTIONS) == ('--raw', '--zstd=3')
    for wrong in 'io', 'keyz':
        with pytest.raises(TypeError, match=f"'{wrong}' is not an option"):
            gr.sort_file('x', 'y', **{wrong: '1'})


def program(capsys, *arguments):
    code = main(arguments)
    told = capsys.readouterr()
    return code, told.out, told.err


def test_program__queries__as_gsort_on_one_machine(cluster, place, capsys):
    gen('normal', 'f64', 20_001, 'x.f64')
    code, out, err = program(capsys, 'sort', 'x.f64', '-o', 'out.f64', '--parts', '3')
    assert code == 0 and json.loads(out)['tally']['count'] == 20_001, err
    want = gs.stats('x.f64', quantiles=[0.25, 'median', 1])
    code, out, err = program(capsys, 'quantiles', 'out.f64', '-p', '0.25,median,1')
    assert code == 0, err
    assert [float(row['value']) for row in json.loads(out)['quantiles']] == [quantile.value for quantile in want.quantiles]
    code, out, err = program(capsys, 'stats', 'x.f64')
    tally = json.loads(out)['tally']
    assert (tally['count'], float(tally['min']), float(tally['sum'])) == (20_001, want.min, want.sum)
    assert program(capsys, 'check', 'out.f64') == (0, '', '')
    code, out, err = program(capsys, 'check', 'x.f64')
    assert code == 1 and 'x.f64' in err and err.count('\n') == 1, err


@pytest.mark.parametrize('pieces', [[[1, np.inf], [2, -np.inf]], [[np.inf, np.nan], [1e308]], [[1e308], [1e308]], [[-1e308], [-1e308]],
                                    [[1e308], [1e308], [-1e308]], [[0.5] * 10, [0.25], [-0.0]], [[np.nan], []], [[], []]])
def test_statistics_of_pieces__are_those_of_all(place, pieces):
    for i, piece in enumerate([*pieces, sum(pieces, [])]):
        np.array(piece, '<f8').tofile(f'{i}.f64')
    reports = [child.run('gsort', ['--stats-only', f'{i}.f64']) for i in range(len(pieces) + 1)]
    want, got = reports.pop()['tally'], queries.add(reports)['tally']
    for name in ('min', 'max', 'sum'):
        assert str(got[name] and float(got[name])) == str(want[name] and float(want[name])), name
    assert {name: count for name, count in got.items() if 'count' in name} == {name: count for name, count in want.items() if 'count' in name}
    assert got['fingerprint'] == want['fingerprint']


@pytest.mark.parametrize('arguments', [['missing.u64'], ['x.u64', '-R', '3'], ['x.u64', '--memory', '1K'], ['x.u64', '-k', 'zz'],
                                       ['x.u64', '--where', 'x'], ['s3://b/x.npy'], ['x.npy.zst']])
def test_program__bad_input__one_line(cluster, place, arguments, capsys):
    open('x.npy.zst', 'w').close()
    gen('uniform', 'u64', 1000, 'x.u64')
    code, _, err = program(capsys, 'sort', '-o', 'out.u64', *arguments)
    assert code == 2
    assert err.count('\n') == 1 and err.startswith('libgsort.ray: '), err
    assert left(place, 'x.u64', 'x.npy.zst') == []


def test_explain__the_plan_and_its_time(cluster, place, capsys):
    gen('uniform', 'u64', 100_000, 'x.u64')
    code, out, err = program(capsys, 'sort', 'x.u64', '-o', 'out.u64', '--explain', '--temp', str(place / 'nodes'), '--parts', '3')
    plan = json.loads(out)
    assert code == 0 and (plan['nodes'], plan['maps'], plan['parts'], plan['bytes']) == (3, 1, 3, 800_000), err
    rates, starts, most = plan['rates'], plan['starts'], {'map': 800_000, 'reduce': 800_000 / 3}  # of one node
    assert plan['seconds']['start'] == starts['nodes'] and plan['seconds']['commit'] == starts['task']
    time = starts['first'] + most['map'] * max(1 / rates['read'], 1 / rates['sort'], 1 / rates['write'])
    assert abs(plan['seconds']['map'] - time) < 0.002
    time = starts['task'] + most['reduce'] * max(1 / rates['read'], 1 / rates['merge'], 1 / rates['write'], 2 / 3 / rates['net'])
    assert abs(plan['seconds']['reduce'] - time) < 0.002
    code, out, err = program(capsys, 'sort', 'x.u64', '-o', 'out', '--explain', '--record', '200', '--key', '8:u32', '--parts', '3')
    assert code == 0 and json.loads(out)['bytes'] == 800_000, err  # elements that are no part of 64 MiB
    assert left(place, 'x.u64') == []


def test_space__that_a_file_system_cannot_take__is_none(place, monkeypatch):
    def refuse(number):
        def fallocate(file, off, size):
            raise OSError(number, os.strerror(number))
        return fallocate

    file = os.open('x', os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(os, 'posix_fallocate', refuse(errno.EBADF))  # as glibc's way where there is no such call
    tasks._take_space(file, 0, 10)
    monkeypatch.setattr(os, 'posix_fallocate', refuse(errno.ENOSPC))
    with pytest.raises(OSError):
        tasks._take_space(file, 0, 10)
    os.close(file)


if LONG:
    def test_program__starts_a_cluster_of_its_own(place):
        gen('uniform', 'u64', 1_000_000, 'x.u64')
        done = subprocess.run([sys.executable, '-m', 'libgsort.ray', 'sort', 'x.u64', '-o', 'out.u64', '--local-nodes', '3'], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report.ray['nodes'] == 3 and report.count == 1_000_000
        gsort('--check', 'out.u64')
