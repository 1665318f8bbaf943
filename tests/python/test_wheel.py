"""Builds the wheel by pip from this build, repairs it by auditwheel for other machines, and installs it; also the source distribution.

The wheel contains the libraries that it needs. So it is tested in a root with Python, the C library and the essential packages of Debian,
without any tool of a build.
"""
import array
import glob
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, 'tools', 'python')
ENVIRONMENT = {**os.environ, 'PATH': os.path.dirname(sys.executable) + ':' + os.environ['PATH']}
MOST_BYTES = 15_000_000
# The glibc that a wheel made here needs. From 2.38 on, strtol and similar calls have versions of their own, also in the included libraries.
GLIBC = 28 if int(platform.libc_ver()[1].split('.')[1]) < 38 else 38
# Libraries that a wheel with a tag of manylinux may expect.
SYSTEM = {'libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libgcc_s.so.1', 'libstdc++.so.6', 'libz.so.1',
          'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'}
SORTS = '''
import array, random, subprocess, sys
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
subprocess.run([sys.executable, '/package/bin/gsort', '-q', '-r', '/tmp/x.f64', '-o', '/tmp/z.f64'], check=True, env={'PYTHONPATH': '/package'})
with open('/tmp/y.f64', 'rb') as file, open('/tmp/z.f64', 'rb') as other:
    assert file.read() == other.read()
with open('/proc/self/maps') as maps:
    mapped = {line.split()[-1] for line in maps if '.so' in line}
print(*sorted(mapped), sep='\\n')
'''


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    assert done.returncode == 0, f'{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}'
    return done.stdout


def made_by_pip(source, folder, *defines, **environment):
    run(sys.executable, '-m', 'pip', 'wheel', '--no-index', '--no-deps', '--no-build-isolation', '--no-cache-dir', '-w', str(folder),
        *(f'--config-settings=cmake.define.{define}' for define in defines), source, env={**ENVIRONMENT, **environment})
    [built] = glob.glob(str(folder / '*.whl'))
    return built


def names_of(wheel):
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if not name.endswith('/')}


def built_wheel(folder, **environment):
    """Builds a wheel from the build that has the library."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(os.environ['LIBGSORT_LIBRARY'])))
    return made_by_pip(PACKAGE, folder, f'GSORT_BUILD={build}', **environment)


def repaired_wheel(built, folder):
    """With all that it needs of this machine's libraries."""
    run(sys.executable, '-m', 'auditwheel', 'repair', '-w', str(folder), built, env=ENVIRONMENT)
    [repaired] = glob.glob(str(folder / '*.whl'))
    return repaired


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """What `pip install` installs on the machine that builds it; the build folder still exists."""
    return built_wheel(tmp_path_factory.mktemp('built'))


@pytest.fixture(scope='module')
def wheel(built, tmp_path_factory):
    return repaired_wheel(built, tmp_path_factory.mktemp('wheel'))


@pytest.fixture(scope='module')
def installed(wheel, tmp_path_factory):
    """By pip, into a folder of its own."""
    folder = tmp_path_factory.mktemp('installed')
    run(sys.executable, '-m', 'pip', 'install', '--no-index', '--no-deps', '--target', str(folder), wheel)
    return str(folder)


def test_wheel__is_one_for_every_python_3_and_small(wheel):
    with open(os.path.join(ROOT, 'src', 'gsort.h'), encoding='utf-8') as file:
        version = '.'.join(re.findall(r'GS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', file.read()))
    assert re.fullmatch(rf'libgsort-{version}-py3-none-manylinux_2_{GLIBC}_(x86_64|aarch64)\.whl', os.path.basename(wheel)), wheel
    assert os.path.getsize(wheel) <= MOST_BYTES
    names = {name for name in names_of(wheel) if name.startswith('libgsort/')}
    sources = {os.path.relpath(os.path.join(folder, name), PACKAGE) for folder, _, files in os.walk(os.path.join(PACKAGE, 'libgsort'))
               for name in files if '__pycache__' not in folder}
    assert names == sources | {'libgsort/gsort', 'libgsort/libgsort.so.0', 'libgsort/libgsort_arrow.so'}


def test_wheel__has_the_licences_of_what_is_in_it_and_words_for_pypi(wheel):
    names = names_of(wheel)
    [metadata] = [name for name in names if name.endswith('.dist-info/METADATA')]
    with zipfile.ZipFile(wheel) as file:
        text = file.read(metadata).decode()
    licenses = {os.path.basename(name) for name in names if '.dist-info/licenses/' in name}
    bundled = {re.match(r'lib[a-z]+', os.path.basename(name))[0] for name in names if name.startswith('libgsort.libs/')}
    assert bundled >= {'libhwy', 'libxxhash', 'libjansson', 'liburing'} and {'LICENSE', 'Apache-2.0.txt'} <= licenses
    assert [library for library in bundled | {'libzstd'} if not any(name.startswith(library) for name in licenses)] == []
    with open(os.environ['LIBGSORT_LIBRARY'], 'rb') as library:
        assert ('cuda-runtime.txt' in licenses) == (b'cudaGetDeviceCount' in library.read())
    assert 'License-Expression: MIT' in text and 'License-File: LICENSE' in text and 'Classifier: Typing :: Typed' in text
    links = re.findall(r'\]\(([^)]*)\)', text)
    assert '# libgsort for Python' in text and links and all(link.startswith(('https://', '#')) for link in links), links


def test_built_wheel__imported_before_numpy_and_pyarrow__lets_them_load(built, tmp_path):
    """In a venv, where pip installed the wheel; NumPy and pyarrow are those of this Python."""
    import pyarrow
    import pyarrow.parquet
    venv = str(tmp_path / 'venv')
    run(sys.executable, '-m', 'venv', '--without-pip', venv)
    run(sys.executable, '-m', 'pip', '--python', venv, 'install', '--no-index', '--no-deps', built)
    [packages] = glob.glob(venv + '/lib/python3*/site-packages')
    with open(os.path.join(packages, 'others.pth'), 'w', encoding='utf-8') as file:
        print(os.path.dirname(os.path.dirname(pyarrow.__file__)), file=file)
    how = {'env': {'PATH': '/usr/bin:/bin'}, 'cwd': tmp_path}
    code = """
import libgsort as gs
import numpy as np
import pyarrow.parquet as pq
a = np.arange(1000)[::-1].copy()
gs.sort(a)
assert (a == np.arange(1000)).all()
with open('/proc/self/maps') as maps:
    print(*{line.split()[-1] for line in maps if '.so' in line}, sep='\\n')
"""
    mapped = run(f'{venv}/bin/python3', '-c', code, **how).split('\n')
    assert f'{packages}/libgsort/libgsort.so.0' in mapped
    outside = [name for name in mapped if name.startswith(ROOT + '/') and not name.startswith(os.path.realpath(sys.prefix) + '/')]
    assert outside == [], 'libraries of the build folder are loaded'
    pyarrow.parquet.write_table(pyarrow.table({'a': [3, 1, 2]}), tmp_path / 'x.parquet')
    run(f'{venv}/bin/python3', '-m', 'libgsort', 'sort', 'x.parquet', '-o', 'y.parquet', **how)
    assert pyarrow.parquet.read_table(tmp_path / 'y.parquet').column('a').to_pylist() == [1, 2, 3]


def test_built_wheel__has_no_path_of_the_build_folder(built, tmp_path):
    """The loader searches RUNPATH before the system's folders, and the build folder has empty libraries to link to (old_glibc.sh)."""
    run(sys.executable, '-m', 'zipfile', '-e', built, str(tmp_path))
    binaries = [*glob.glob(f'{tmp_path}/libgsort/*.so*'), f'{tmp_path}/libgsort/gsort']
    found = {name: re.findall(r'(?:RUNPATH|RPATH).*\[(.*)\]', run('readelf', '-d', name)) for name in binaries}
    assert len(found) == 3 and not [paths for paths in found.values() if any(ROOT in path for path in paths)], found


def test_wheel__in_an_empty_venv__has_the_program_which_ray_takes(wheel, tmp_path):
    venv = str(tmp_path / 'venv')
    run(sys.executable, '-m', 'venv', '--without-pip', venv)
    run(sys.executable, '-m', 'pip', '--python', venv, 'install', '--no-index', '--no-deps', wheel)
    environment = {'PATH': '/usr/bin:/bin'}
    with open(os.path.join(ROOT, 'src', 'gsort.h'), encoding='utf-8') as file:
        version = '.'.join(re.findall(r'GS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', file.read()))
    assert run(f'{venv}/bin/gsort', '--version', env=environment).startswith(f'gsort {version}\n')
    numbers = array.array('d', [random.random() for _ in range(100_000)])
    with open(tmp_path / 'x.f64', 'wb') as file:
        numbers.tofile(file)
    run(f'{venv}/bin/gsort', 'x.f64', '-o', 'y.f64', env=environment, cwd=tmp_path)
    assert (tmp_path / 'y.f64').read_bytes() == array.array('d', sorted(numbers)).tobytes()
    found = run(f'{venv}/bin/python3', '-c', 'from libgsort.ray import gsort; print(gsort.find(None))', env=environment, cwd=tmp_path).strip()
    assert re.fullmatch(re.escape(venv) + r'/lib/python3\.\d+/site-packages/libgsort/gsort', found)
    wrong = subprocess.run([f'{venv}/bin/gsort', '--spede'], env=environment, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and wrong.stderr.startswith("gsort: ")


def own_tree(root):
    """A tree of the repository's shape, whose own build only reports what it was told."""
    shutil.copytree(os.path.join(PACKAGE, 'wheel'), root / 'tools' / 'python' / 'wheel')
    (root / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.25)\nproject(own NONE)\nmessage(STATUS "kernels: ${GSORT_CUDA}")\n'
                                         'add_custom_target(gsort_wheel)\n')


def configured(root, *defines, has_gpu=False):
    """Returns what CMake prints when the wheel is configured."""
    (root / 'nvidia-smi').write_text(f'#!/bin/sh\nexit {0 if has_gpu else 9}\n')
    (root / 'nvidia-smi').chmod(0o755)
    done = subprocess.run(['cmake', '-G', 'Ninja', '-S', str(root / 'tools' / 'python' / 'wheel'), '-B', str(root / 'made'), '-DSKBUILD_METADATA_DIR=m',
                           '-DSKBUILD_SCRIPTS_DIR=s', *defines], capture_output=True, text=True, check=False,
                          env={**ENVIRONMENT, 'PATH': f"{root}:{ENVIRONMENT['PATH']}"})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize('there, has_gpu, asked, taken, kernels', [
    ((), False, [], 'wheel', 'OFF'), ((), True, [], 'wheel', 'ON'), (('install', 'release'), False, [], 'release', None),
    (('install',), False, [], 'install', None), (('install',), True, [], 'wheel', 'ON'), (('release', 'install'), True, [], 'release', None),
    (('release',), False, ['-DGSORT_CUDA=ON'], 'wheel', 'ON'), (('release',), True, ['-DGSORT_CUDA=OFF'], 'wheel', 'OFF'),
    (('release', 'other'), True, ['-DGSORT_BUILD={root}/build/other'], 'other', None)])
def test_source__which_build_is_taken__and_whether_kernels_are_built(tmp_path, there, has_gpu, asked, taken, kernels):
    own_tree(tmp_path)
    for name in there:
        (tmp_path / 'build' / name).mkdir(parents=True)
        (tmp_path / 'build' / name / 'CMakeCache.txt').write_text(f'CMAKE_HOME_DIRECTORY:INTERNAL={tmp_path}\n')
    status, told = configured(tmp_path, *(word.format(root=tmp_path) for word in asked), has_gpu=has_gpu)
    assert status == 0, told
    assert os.path.normpath(re.search('libgsort is taken from (.*)', told)[1]) == f'{tmp_path}/build/{taken}', told
    assert re.findall('kernels: (.*)', told) == ([kernels] if kernels else []), told


@pytest.mark.parametrize('there', ['release', 'install', 'wheel'])
def test_source__that_was_copied_with_its_builds__is_what_is_built(tmp_path, there):
    """The caches in the copy still name the original."""
    one, other = tmp_path / 'one', tmp_path / 'other'
    own_tree(one)
    run('cmake', '-G', 'Ninja', '-S', str(one), '-B', str(one / 'build' / there))
    shutil.copytree(one, other)
    status, told = configured(other, '-DGSORT_CUDA=OFF') if there == 'wheel' else configured(other)
    assert status == 0 and f'libgsort is taken from {other}/build/wheel\n' in told and 'kernels: OFF' in told, told
    assert f'CMAKE_HOME_DIRECTORY:INTERNAL={other}\n' in (other / 'build' / 'wheel' / 'CMakeCache.txt').read_text()
    if there != 'wheel':
        status, told = configured(other, f'-DGSORT_BUILD={other}/build/{there}')
        assert status != 0 and f"was built from '{one}'" in ' '.join(told.split()), told


def test_sdist__builds_the_same_wheel(wheel, tmp_path):
    """Whole, by pip; without kernels, which take minutes, and hardly optimised. A second one is made of what was unpacked."""
    command = 'import sys; sys.path.insert(0, "wheel"); import backend; backend.build_sdist(sys.argv[1])'
    run(sys.executable, '-c', command, str(tmp_path), cwd=PACKAGE)
    [made] = glob.glob(str(tmp_path / '*.tar.gz'))
    run('tar', 'xzf', made, '-C', str(tmp_path))
    [folder] = glob.glob(f'{tmp_path}/libgsort-*/')
    assert {'build', 'tests', 'datasets'}.isdisjoint(os.listdir(folder + 'repository'))
    run(sys.executable, '-c', command, str(tmp_path / 'again'), cwd=folder)
    with tarfile.open(made) as one, tarfile.open(glob.glob(f'{tmp_path}/again/*.tar.gz')[0]) as other:
        assert set(one.getnames()) == set(other.getnames())
    built = made_by_pip(folder, tmp_path / 'built', 'GSORT_CUDA=OFF', 'CMAKE_C_FLAGS_RELEASE=-O1', 'CMAKE_CXX_FLAGS_RELEASE=-O1', CCACHE_BASEDIR=folder)
    system = {name for name in names_of(wheel)
              if name.startswith('libgsort.libs/') or 'cuda-runtime' in name or '.dist-info/sboms/' in name}
    assert names_of(built) == names_of(wheel) - system
    run(sys.executable, '-m', 'zipfile', '-e', built, str(tmp_path / 'unpacked'))
    program = tmp_path / 'unpacked' / 'libgsort' / 'gsort'
    program.chmod(0o755)
    assert run(str(program), '--version').startswith('gsort ')


def test_wheel__needs_what_every_linux_has(installed):
    there = {os.path.basename(name) for name in glob.glob(installed + '/libgsort.libs/*')}
    for name in [*glob.glob(installed + '/libgsort*/*.so*'), installed + '/libgsort/gsort']:
        needed = set(re.findall(r'NEEDED.*\[(.*)\]', run('readelf', '-d', name)))
        assert needed <= SYSTEM | there | {'libgsort.so.0'}, name


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
