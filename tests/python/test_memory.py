"""The most memory that a whole Python process takes: the ceiling, and at most 100 MiB for Python and what is beside."""
import os
import subprocess
import sys

import numpy as np
import pytest

BESIDE = 100 << 20
MEMORY = 32 << 20
COUNT = MEMORY  # of 8 bytes: eight times the ceiling
PEAK = '''
with open('/proc/self/status') as status:
    print(*(int(line.split()[1]) << 10 for line in status if line.startswith('VmHWM')))
'''
MAP = 'a = np.memmap("x.f64", "f8", "r+")\n'
JOBS = {
    'sort_file': f'gs.sort_file("x.f64", "y.f64", memory={MEMORY})',
    'sort': f'{MAP}gs.sort(a, memory={MEMORY}, temp=".")',
    'argsort': f'{MAP}p = np.memmap("p.u64", "u8", "w+", shape=a.shape)\ngs.argsort(a, out=p, memory={MEMORY}, temp=".")',
    'stats': f'{MAP}assert gs.stats(a, memory={MEMORY}).count == len(a)',
    'top': f'{MAP}assert len(gs.top(a, 100, memory={MEMORY})) == 100',
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('memory')
    yield folder
    for name in os.listdir(folder):
        os.unlink(folder / name)


@pytest.mark.parametrize('name', JOBS)
def test_peak__of_the_process__is_ceiling_and_little_more(folder, name):
    rng = np.random.default_rng(1)
    with open(folder / 'x.f64', 'wb') as file:
        for _ in range(16):
            rng.random(COUNT // 16).tofile(file)
    code = f'import libgsort as gs, numpy as np\n{JOBS[name]}\n{PEAK}'
    told = subprocess.run([sys.executable, '-c', code], cwd=folder, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) <= MEMORY + BESIDE, f'{int(told.stdout) / 2 ** 20:.0f} MiB'
    a = np.fromfile(folder / 'x.f64')
    if name == 'argsort':
        a = a[np.fromfile(folder / 'p.u64', 'u8')]
    elif name == 'sort_file':
        a = np.fromfile(folder / 'y.f64')
    assert 'sort' not in name or (a[:-1] <= a[1:]).all()


def test_private_mapping__keeps_its_changes(folder):
    """Its pages are not given back, for they are not the file's."""
    a = np.memmap(folder / 'x.f64', 'f8', 'c', shape=(8_000_000,))
    a[:100] = -1.0
    import libgsort as gs
    assert gs.stats(a).min == -1.0 and (a[:100] == -1.0).all()
