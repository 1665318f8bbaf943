"""Draws each kind of report by python -m libgsort.plot and gsort-bench --plot, which refuse everything else."""
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import libgsort as gs
from libgsort import plot

BENCH = os.path.join(os.path.dirname(os.environ['LIBGSORT_LIBRARY']), '..', 'bin', 'gsort-bench')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', os.path.dirname(sys.executable) + ':' + os.environ['PATH'])
    return tmp_path


def texts(path):
    with open(path, encoding='utf-8') as file:
        return ' '.join(re.findall(r'<text[^>]*>([^<]*)</text>', file.read()))


def draw(*arguments, stdin=''):
    return subprocess.run([sys.executable, '-m', 'libgsort.plot', *arguments], input=stdin, capture_output=True, text=True, check=False)


def job(folder, count, memory):
    a = np.random.default_rng(1).normal(size=count)
    return dict(gs.sort(a, memory=memory, temp=folder).details)


def test_job__phases_over_time_and_memory_by_part(folder):
    (folder / 'job.json').write_text(json.dumps(job(folder, 1_000_000, '16M')))
    done = draw('job.json')
    assert (done.returncode, done.stderr) == (0, '')
    told = texts('job.svg')
    for text in ('1,000,000 elements of f64, 8 MB', 'seconds', 'B/s', 'written', 'sorted', 'write', 'data', 'ceiling'):
        assert text in told, told


def test_jobs__seconds_against_size(folder):
    for i, (count, memory) in enumerate(((100_000, '16M'), (300_000, '16M'), (300_000, '32M'))):
        (folder / f'{i}.json').write_text(json.dumps(job(folder, count, memory)))
    assert draw('0.json', '1.json', '2.json', '-o', 'sizes.png').returncode == 0
    assert (folder / 'sizes.png').read_bytes().startswith(b'\x89PNG')
    assert draw('0.json', '1.json', '2.json', '-o', 'sizes.svg').returncode == 0
    assert '16 MiB, cpu' in texts('sizes.svg') and '32 MiB, cpu' in texts('sizes.svg')


def test_by_size__a_line_a_program(folder):
    rows = [{'name': name, 'size_bytes': size << 20, 'seconds': [size / 100, size / 90]} for name in ('gsort', 'stxxl') for size in (64, 128)]
    report = {'memory_bytes': 1 << 30, 'processor': 'a processor', 'processors': 2, 'labels': {'stxxl': 'STXXL'}, 'results': rows}
    assert draw('-', '-o', 'x.svg', stdin=json.dumps(report)).returncode == 0
    told = texts('x.svg')
    assert 'STXXL' in told and 'gsort' in told and '1024 MiB of memory' in told and 'a processor, 2 processors' in told


@pytest.mark.parametrize('command, wanted', [
    (['disk', '--size', '4M', '--repeat', '2'], ['copy', 'median']),
    (['scale', '--size', '1M', '--repeat', '1', '--parallel', '3'], ['as many times one thread', 'ns an element', '3 threads']),
    (['outofcore', '--size', '16M', '--memory', '12M', '--repeat', '1'], ['--compress none', '--compress auto', '12 MiB of memory'])])
def test_gsort_bench__plot(folder, command, wanted):
    done = subprocess.run([BENCH, *command, '--plot', "it's.svg"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, '') and 'median' in done.stdout
    for text in wanted:
        assert text in texts("it's.svg")


def test_gsort_bench__what_cannot_be_drawn__is_said_before_it_measures(folder, monkeypatch):
    def bench(*arguments):
        return subprocess.run([BENCH, 'disk', '--size', '4M', *arguments], capture_output=True, text=True, check=False)
    done = bench('--plot', 'x.gif')
    assert (done.returncode, done.stdout) == (2, '') and "'x.gif' does not end in .svg or .png" in done.stderr
    done = bench('--plot', 'no/x.svg', '--repeat', '1')
    assert done.returncode == 3 and 'No such file' in done.stderr
    monkeypatch.setenv('LIBGSORT_LIBRARY', '/nowhere')
    done = bench('--plot', 'x.svg')
    assert (done.returncode, done.stdout) == (2, '') and '--plot needs libgsort and matplotlib' in done.stderr
    assert done.stderr.count('\n') == 1


def test_what_is_no_report__is_said(folder):
    (folder / 'x.json').write_text('{"a": 1}')
    (folder / 'y.json').write_text('[')
    (folder / 'v.json').write_text('{"schema": 1, "phases": []}')
    for arguments, text in ((['x.json'], 'this is not a report'), (['y.json'], 'Expecting'), (['v.json'], 'of schema 1'), (['z.json'], 'No such file'),
                            (['x.json', '-o', 'x.gif'], 'must end in .svg or .png'), (['x.json', 'x.json'], 'each must be of a job'),
                            ([], 'no report is given')):
        done = draw(*arguments)
        assert done.returncode == 2 and text in done.stderr, done
    assert sorted(os.listdir(folder)) == ['v.json', 'x.json', 'y.json']


def test_plot__as_a_function(folder):
    plot.plot([job(folder, 1000, '16M')], 'job.svg')
    assert 'elements of f64' in texts('job.svg')
    report = gs.sort(np.arange(500_000)[::-1].copy(), memory='16M', temp=folder)
    report.plot('other.png')
    assert (folder / 'other.png').read_bytes().startswith(b'\x89PNG')
    plot.plot([report, report], 'two.svg')
    assert '2 jobs' in texts('two.svg')


def test_sort_on_a_cluster__its_steps_over_time(folder):
    """A report as libgsort.ray returns it (its tests are in ray_cluster)."""
    steps = {'start': 1.5, 'map': 20.0, 'cut': 0.25, 'reduce': 10.0, 'commit': 0.5}
    report = {'type': 'u64', 'element_bytes': 8, 'tally': {'count': 10 ** 10}, 'device': 'cpu',
              'ray': {'seconds': steps, 'nodes': 4, 'maps': 80, 'parts': 64, 'again': 2, 'net_bytes': 6 * 10 ** 10, 'output': 'out.u64'}}
    plot.plot(report, 'cluster.svg')
    told = texts('cluster.svg')
    for text in ('10,000,000,000 elements of u64, 80 GB in 32.25 s', '20.00 s, 4 GB/s', '10.00 s, 8 GB/s', '4 nodes, 80 pieces, 64 parts, 2 tasks again',
                 '60 GB between nodes', 'sort the pieces', 'merge the parts', '0.50 s'):
        assert text in told, told
    (folder / 'cluster.json').write_text(json.dumps(report))
    assert draw('cluster.json').returncode == 0 and texts('cluster.svg') == told
