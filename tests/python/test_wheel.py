"""The wheel: built as pip builds it (without kernels, which take minutes), made fit for other machines by auditwheel, installed.

It brings the libraries that it needs along. So it is tried in a root that holds Python, the C library and what every Debian has,
and nothing of what building needs.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, 'tools', 'python')
MOST_BYTES = 15_000_000
# What the tags of manylinux let a wheel expect.
SYSTEM = {'libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libgcc_s.so.1', 'libstdc++.so.6', 'libz.so.1',
          'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'}
SORTS = '''
import array, random, sys
sys.path.insert(0, '/package')
import libgsort as gs
assert gs.__file__.startswith('/package'), gs.__file__
numbers = [random.random() for _ in range(2_000_000)]
with open('/tmp/x.f64', 'wb') as file:
    array.array('d', numbers).tofile(file)
report = gs.sort_file('/tmp/x.f64', '/tmp/y.f64.zst', memory='16M', compress='zstd')
assert report.spilled_bytes > 0
gs.sort_file('/tmp/y.f64.zst', '/tmp/y.f64', reverse=True)
with open('/tmp/y.f64', 'rb') as file:
    assert list(array.array('d', file.read())) == sorted(numbers, reverse=True)
try:
    import numpy
except ImportError:
    print('no numpy')
else:
    a = numpy.array(numbers)
    gs.sort(a)
    assert (a[:-1] <= a[1:]).all()
    with gs.Sorter('f8') as s:
        s.push(a)
        assert s.__arrow_c_stream__() is not None and len(s.pull()) > 0
with open('/proc/self/maps') as maps:
    mapped = {line.split()[-1] for line in maps if '.so' in line}
print(*sorted(mapped), sep='\\n')
'''


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    assert done.returncode == 0, f'{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}'
    return done.stdout


@pytest.fixture(scope='module')
def wheel(tmp_path_factory):
    """Its build is kept, so that a second run of the tests only looks at what has changed."""
    folder = tmp_path_factory.mktemp('wheel')
    kept = os.path.join(os.path.dirname(os.environ['LIBGSORT_LIBRARY']), '..', 'python-wheel')
    environment = {**os.environ, 'PATH': os.path.dirname(sys.executable) + ':' + os.environ['PATH']}
    run(sys.executable, '-m', 'pip', 'wheel', '--no-index', '--no-deps', '--no-build-isolation', '-w', str(folder / 'built'),
        f'--config-settings=build-dir={os.path.abspath(kept)}', '--config-settings=cmake.define.GSORT_CUDA=OFF', PACKAGE, env=environment)
    [built] = glob.glob(str(folder / 'built' / '*.whl'))
    run(sys.executable, '-m', 'auditwheel', 'repair', '-w', str(folder / 'house'), built, env=environment)
    [repaired] = glob.glob(str(folder / 'house' / '*.whl'))
    return repaired


@pytest.fixture(scope='module')
def installed(wheel, tmp_path_factory):
    """By pip, into a folder of its own."""
    folder = tmp_path_factory.mktemp('installed')
    run(sys.executable, '-m', 'pip', 'install', '--no-index', '--no-deps', '--target', str(folder), wheel)
    return str(folder)


def test_wheel__is_one_for_every_python_3_and_small(wheel):
    with open(os.path.join(ROOT, 'src', 'gsort.h'), encoding='utf-8') as file:
        version = '.'.join(re.findall(r'GS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', file.read()))
    assert re.fullmatch(rf'libgsort-{version}-py3-none-manylinux_2_\d+_\w+\.whl', os.path.basename(wheel)), wheel
    assert os.path.getsize(wheel) <= MOST_BYTES
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if name.startswith('libgsort/') and not name.endswith('/')}
    sources = {os.path.relpath(os.path.join(folder, name), PACKAGE) for folder, _, files in os.walk(os.path.join(PACKAGE, 'libgsort'))
               for name in files if '__pycache__' not in folder}
    assert names == sources | {'libgsort/libgsort.so.0', 'libgsort/libgsort_arrow.so'}


def test_library__with_kernels_packs_to_what_fits():
    """That of this build, which has kernels where there is a CUDA toolkit; the others take 1 MB."""
    packed = len(subprocess.run(['gzip', '-9c', os.environ['LIBGSORT_LIBRARY']], check=True, capture_output=True).stdout)
    assert packed <= MOST_BYTES - 2_000_000


def test_wheel__needs_what_every_linux_has(installed):
    there = {os.path.basename(name) for name in glob.glob(installed + '/libgsort.libs/*')}
    for name in glob.glob(installed + '/libgsort*/*.so*'):
        needed = set(re.findall(r'NEEDED.*\[(.*)\]', run('readelf', '-d', name)))
        assert needed <= SYSTEM | there, name


def test_wheel__in_a_root_with_python_only__sorts(installed, tmp_path):
    if os.getuid() != 0 or subprocess.run(['unshare', '-m', 'true'], check=False, capture_output=True).returncode != 0:
        pytest.skip('no unshare')
    sys.path.insert(0, os.path.join(ROOT, 'tests', 'packages'))
    import clean_root
    stanzas, provided = clean_root.installed()
    essential = [[name] for name, stanza in stanzas.items() if clean_root.fields(stanza).get('Essential') == 'yes']
    chosen = clean_root.closure([*essential, ['python3'], ['libstdc++6'], ['zlib1g']], stanzas, provided)
    paths = run('dpkg', '-L', *clean_root.with_processors(chosen, stanzas)).split('\n')
    root = tmp_path / 'root'
    for name in ('tmp', 'proc', 'dev', 'package'):
        (root / name).mkdir(parents=True)
    clean_root.copy(str(root), [path for path in paths if path.startswith('/')])
    for name in ('libhwy', 'liburing', 'libxxhash', 'libgsort'):
        assert glob.glob(f'{root}/usr/lib/*/{name}*') == [], 'the root has it'
    shutil.copytree(installed, root / 'package', dirs_exist_ok=True)
    python = run('chroot', str(root), '/usr/bin/python3', '-c', 'import sys; print(*sys.version_info[:2])').split()
    has_numpy = python == [str(part) for part in sys.version_info[:2]]
    if has_numpy:  # as pip would have installed it there
        import numpy
        at = os.path.dirname(os.path.dirname(numpy.__file__))
        for name in ('numpy', 'numpy.libs'):
            shutil.copytree(os.path.join(at, name), root / 'package' / name)
    (root / 'tmp' / 'sorts.py').write_text(SORTS)
    told = run('unshare', '-m', 'sh', '-c', 'mount -t proc proc "$0/proc" 2>/dev/null || mount --rbind /proc "$0/proc"; mount --rbind /dev '
               '"$0/dev" && exec chroot "$0" env -i PATH=/usr/bin PYTHONDONTWRITEBYTECODE=1 python3 /tmp/sorts.py', str(root))
    assert ('no numpy' in told) != has_numpy
    mapped = [line for line in told.split('\n') if re.search(r'lib(gsort|hwy|uring|xxhash|zstd)', line)]
    assert len(mapped) >= 5 and all(line.startswith('/package/') for line in mapped), told
