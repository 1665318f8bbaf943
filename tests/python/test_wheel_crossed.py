"""Builds the wheel for another processor by a cross compiler, as test_wheel.py builds the one for this processor. Runs it under QEMU."""
import array
import glob
import os
import random
import re
import shutil
import zipfile

import pytest
from test_wheel import GLIBC, SYSTEM, built_wheel, names_of, repaired_wheel, run

LIBRARY = os.path.abspath(os.environ['LIBGSORT_LIBRARY'])
EMULATOR = shutil.which('qemu-aarch64-static') or shutil.which('qemu-aarch64')


@pytest.fixture(scope='module')
def wheel(tmp_path_factory):
    assert 'AArch64' in run('readelf', '-h', LIBRARY)
    built = built_wheel(tmp_path_factory.mktemp('built'), _PYTHON_HOST_PLATFORM='linux-aarch64')
    return repaired_wheel(built, tmp_path_factory.mktemp('wheel'))


@pytest.fixture(scope='module')
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp('unpacked')
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    (folder / 'libgsort' / 'gsort').chmod(0o755)
    return folder


def test_wheel__says_for_which_processor_it_is__and_all_in_it_is(wheel, unpacked):
    assert re.fullmatch(rf'libgsort-[\d.]+-py3-none-manylinux_2_{GLIBC}_aarch64\.whl', os.path.basename(wheel)), wheel
    [about] = glob.glob(f'{unpacked}/*.dist-info/WHEEL')
    with open(about, encoding='utf-8') as file:
        assert re.findall('Tag: (.*)', file.read()) == [f'py3-none-manylinux_2_{GLIBC}_aarch64']
    binaries = [f'{unpacked}/{name}' for name in names_of(wheel) if name == 'libgsort/gsort' or re.search(r'\.so(\.|$)', name)]
    bundled = {os.path.basename(name) for name in binaries}
    assert {'gsort', 'libgsort.so.0', 'libgsort_arrow.so'} < bundled and sum(name.startswith('libhwy') for name in bundled) >= 1
    for name in binaries:
        assert 'AArch64' in run('readelf', '-h', name), name
        needed = set(re.findall(r'NEEDED.*\[(.*)\]', run('readelf', '-d', name)))
        assert needed <= SYSTEM | bundled, name
    names = {os.path.basename(name) for name in names_of(wheel) if '.dist-info/licenses/' in name}
    assert [name for name in ('libhwy', 'libxxhash', 'libjansson', 'liburing', 'libzstd') if not any(one.startswith(name) for one in names)] == []


def test_wheel__its_program_sorts(unpacked, tmp_path):
    numbers = array.array('d', [random.random() for _ in range(100_000)])
    with open(tmp_path / 'x.f64', 'wb') as file:
        numbers.tofile(file)
    run(EMULATOR, '-E', 'LD_DEBUG=files', '-E', f'LD_DEBUG_OUTPUT={tmp_path}/loaded', str(unpacked / 'libgsort' / 'gsort'), 'x.f64', '-o', 'y.f64', cwd=tmp_path)
    told = ''.join(path.read_text() for path in tmp_path.glob('loaded.*'))
    assert (tmp_path / 'y.f64').read_bytes() == array.array('d', sorted(numbers)).tobytes()
    for name in ('libgsort.so.0', 'libhwy', 'liburing'):  # its own, not this machine's
        assert re.search(rf'calling init: {re.escape(str(unpacked))}/libgsort.*/{name}', told), told[-3000:]
