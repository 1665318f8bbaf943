"""Builds by scikit-build-core. A source distribution contains all files that a build needs: of this
folder, and of the repository."""
import os
import shutil
import tempfile

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403

HERE = ('pyproject.toml', 'README.md', 'LICENSE', 'libgsort', 'wheel')
# the folder in the distribution in which CMakeLists.txt finds these files
REPOSITORY = 'repository'
NEEDED = ('CMakeLists.txt', 'LICENSE', 'CHANGELOG.md', 'README.md', 'src', 'kernels', 'tools')


def _copy(folder, names, to, *left_out):
    os.makedirs(to)
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(to, name),
                            ignore=shutil.ignore_patterns('__pycache__', *left_out))
        else:
            shutil.copy(path, to)


def build_sdist(sdist_directory, config_settings=None):
    """Builds a source distribution, from the repository or from an unpacked source distribution."""
    here = os.getcwd()
    if os.path.exists(REPOSITORY):
        return build.build_sdist(sdist_directory, config_settings)
    with tempfile.TemporaryDirectory() as scratch:
        made = os.path.join(scratch, 'libgsort')
        _copy(here, HERE, made)
        _copy(os.path.join(here, '..', '..'), NEEDED, os.path.join(made, REPOSITORY), 'libgsort',
              'wheel')
        with open(os.path.join(made, 'pyproject.toml'), 'r+', encoding='utf-8') as file:
            text = file.read().replace('../..', REPOSITORY)
            file.seek(0)
            file.truncate()
            file.write(text)
        os.chdir(made)
        try:
            return build.build_sdist(os.path.join(here, sdist_directory), config_settings)
        finally:
            os.chdir(here)
