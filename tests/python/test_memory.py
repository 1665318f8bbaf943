"""Measures the peak memory of whole Python processes: the limit, plus the amount in tools/python/README.md."""
import os
import re
import subprocess
import sys

import numpy as np
import parquet_memory
import pytest

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'python', 'README.md')
MEMORY = 32 << 20
COUNT = MEMORY  # of 8 bytes: eight times the ceiling
PEAK = '''
with open('/proc/self/status') as status:
    print(*(int(line.split()[1]) << 10 for line in status if line.startswith('VmHWM')))
'''
BESIDE_PARQUET = 165, 135  # MiB: with any of Arrow's pools, and with malloc from the start
ARROW = 106 << 20  # of a process that has loaded pyarrow and pandas, with which these were measured
MAP = 'a = np.memmap("x.f64", "f8", "r+")\n'
# MiB beside the ceiling, and the job.
JOBS = {
    'sort_file': (20, f'gs.sort_file("x.f64", "y.f64", memory={MEMORY})'),
    'sort': (100, f'{MAP}gs.sort(a, memory={MEMORY}, temp=".")'),
    'argsort': (100, f'{MAP}p = np.memmap("p.u64", "u8", "w+", shape=a.shape)\ngs.argsort(a, out=p, memory={MEMORY}, temp=".")'),
    'stats': (100, f'{MAP}assert gs.stats(a, memory={MEMORY}).count == len(a)'),
    'top': (100, f'{MAP}assert len(gs.top(a, 100, memory={MEMORY})) == 100'),
    'Sorter': (35, f'''
with gs.Sorter("f8", memory={MEMORY}, temp=".") as s, open("x.f64", "rb") as file:
    while block := file.read(1 << 19):
        s.push(np.frombuffer(block))
    assert sum(map(len, s)) == {COUNT}
'''),
    'arrow': (115, f'''
import pyarrow as pa
with gs.Sorter(key=["p", "-t"], memory={MEMORY}, temp=".") as s, open("x.f64", "rb") as file:
    while block := file.read(1 << 19):
        both = np.frombuffer(block).reshape(2, -1)
        s.push(pa.record_batch({{"p": both[0], "t": both[1]}}))
    assert sum(map(len, pa.RecordBatchReader.from_stream(s))) == {COUNT // 2}
'''),
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('memory')
    yield folder
    for name in os.listdir(folder):
        os.unlink(folder / name)


def stated():
    with open(README, encoding='utf-8') as file:
        return re.search(r'- \*\*Memory\*\*.*?A test', file.read(), re.DOTALL)[0]


@pytest.fixture(scope='module')
def heavier():
    """By how much pyarrow and pandas are larger here: on Debian 13, 39 MiB."""
    code = f'import pyarrow.parquet\ntry:\n    import pandas\nexcept ImportError:\n    pass\n{PEAK}'
    return max(0, int(subprocess.run([sys.executable, '-c', code], capture_output=True, check=True).stdout) - ARROW)


@pytest.mark.parametrize('name', JOBS)
def test_peak__of_the_process__is_ceiling_and_little_more(folder, heavier, name):
    rng = np.random.default_rng(1)
    with open(folder / 'x.f64', 'wb') as file:
        for _ in range(16):
            rng.random(COUNT // 16).tofile(file)
    beside, job = JOBS[name]
    most = MEMORY + (beside << 20) + (heavier if 'pyarrow' in job else 0)
    code = f'import libgsort as gs\n{"" if name == "sort_file" else "import numpy as np"}\n{job}\n{PEAK}'
    peaks = []
    for _ in range(3 if MAP in job else 1):  # a thread gives pages of a mapping back, if it gets a processor
        told = subprocess.run([sys.executable, '-c', code], cwd=folder, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stderr
        peaks.append(int(told.stdout))
        if peaks[-1] <= most:
            break
    assert peaks[-1] <= most, [f'{peak / 2 ** 20:.0f} MiB' for peak in peaks]
    assert re.search(rf'\b{beside}\b', stated()), 'the README says another number'
    a = np.fromfile(folder / 'x.f64')
    if name == 'argsort':
        a = a[np.fromfile(folder / 'p.u64', 'u8')]
    elif name == 'sort_file':
        a = np.fromfile(folder / 'y.f64')
    assert 'sort' not in name or (a[:-1] <= a[1:]).all()


def test_peak__of_parquet_with_rows_of_a_byte__is_as_small(folder, heavier):
    """Sorting needs 50 times as many bytes as such a row has."""
    parquet_memory.write(folder / 'x.parquet', 'bytes', rows=16 << 20)
    code = f'import libgsort as gs\ngs.sort_parquet("x.parquet", "y.parquet", ["c0"], 64 << 20)\n{PEAK}'
    told = subprocess.run([sys.executable, '-c', code], cwd=folder, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) <= (64 + BESIDE_PARQUET[0] << 20) + heavier, f'{int(told.stdout) / 2 ** 20:.0f} MiB'


def test_peak__of_parquet__is_ceiling_and_what_is_said_with_every_pool(folder, heavier):
    """A file of 170 MB, 10 columns, two of them text, in 64 MiB."""
    parquet_memory.write(folder / 'x.parquet', 'wide', rows=2 << 20)
    stated = dict(zip(('others', 'system'), BESIDE_PARQUET))
    code = f'import libgsort as gs\ngs.sort_parquet("x.parquet", "y.parquet", ["c0", "-c5"], 64 << 20)\n{PEAK}'
    import pyarrow as pa
    pools = pa.supported_memory_backends()
    assert 'system' in pools and len(pools) > 1
    third = os.environ.get('GS_TEST_THIRD')
    if third:  # one of them, another one each day
        pools = [pools[int(third) % len(pools)]]
    for pool in pools:
        told = subprocess.run([sys.executable, '-c', code], cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, 'ARROW_DEFAULT_MEMORY_POOL': pool})
        assert told.returncode == 0, told.stderr
        most = (64 + stated.get(pool, stated['others'])) << 20
        assert int(told.stdout) <= most + heavier, f'{pool}: {int(told.stdout) / 2 ** 20:.0f} MiB'
    with open(README, encoding='utf-8') as file:
        text = file.read()
    assert f"at most {stated['others']} MiB more, or {stated['system']} with `ARROW_DEFAULT_MEMORY_POOL=system`" in ' '.join(text.split())


def test_private_mapping__keeps_its_changes(folder):
    """Its pages are not given back, for they are not the file's."""
    a = np.memmap(folder / 'x.f64', 'f8', 'c', shape=(8_000_000,))
    a[:100] = -1.0
    import libgsort as gs
    assert gs.stats(a).min == -1.0 and (a[:100] == -1.0).all()
