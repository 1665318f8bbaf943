"""Checks the package and the examples of its README by mypy --strict, and that typing knows the types at run time."""
import builtins
import inspect
import os
import re
import subprocess
import sys
import typing

import libgsort

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'tools', 'python')
USE = '''
import libgsort as gs
import numpy as np
a = np.zeros(3)
reveal_type(gs.sort(a, order=["x", "-y"], memory="1G", threads=2))
reveal_type(gs.top("x.f64", 3))
gs.sort(a, speed=3)
gs.sort_file(["x.f64"], "y", key=["a", "-b"], split_at=[0.5], zstd=True, temp=".", where=">0", quantiles=(0.5, "median"))
gs.sort_file("x.f64", "y", header="no")
'''


KEPT = '''
import libgsort as gs
import polars as pl
import numpy as np
import numpy.typing as npt
def numbers(a: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return gs.top(a, 3, reverse=True)
def times(name: str) -> npt.NDArray[np.int64]:
    return gs.top(name, 3, dtype=np.int64)
def order(a: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    return gs.argsort(a, by='x', kind='stable', descending=True)
def series(a: pl.Series) -> pl.Series:
    return gs.top(gs.sorted(a, nulls_last=False), 3, largest=True)
def frame(a: pl.DataFrame) -> pl.DataFrame:
    return gs.sort_table(a, by=['x'], descending=[True], memory='1G')
def copy(a: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return gs.sorted(a, key='x', reverse=True)
def quick(name: str, tuning: gs.Tuning) -> gs.Report:
    return gs.sort_file(name, 'out', memory='1G', **tuning)
def shown(at: gs.Progress) -> float:
    return at.bytes_done / max(1, at.bytes_total)
'''
WRONG = 'import numpy.typing as npt\nimport numpy as np\nimport libgsort as gs\nb = gs.top(np.zeros(3), 1)\na: npt.NDArray[np.int32] = b\n'
NO_TABLE = 'import libgsort as gs\nimport polars as pl\na: pl.DataFrame = gs.sort_table(pl.LazyFrame(), "x")\n'


def mypy(*arguments, cwd=PACKAGE):
    return subprocess.run([sys.executable, '-m', 'mypy', '--cache-dir', os.devnull, *arguments], cwd=cwd, text=True,
                          capture_output=True, check=False, env={**os.environ, 'MYPYPATH': PACKAGE}).stdout


def test_package__is_typed():
    told = mypy()
    assert told.startswith('Success'), told


def test_users__see_types(tmp_path):
    (tmp_path / 'use.py').write_text(USE)
    told = mypy('--strict', 'use.py', cwd=tmp_path)
    assert 'libgsort.report.Report' in told and 'ndarray' in told, told
    assert 'Unexpected keyword argument "speed"' in told and 'Found 2 errors' in told, told


def test_results__keep_their_dtype(tmp_path):
    (tmp_path / 'kept.py').write_text(KEPT)
    (tmp_path / 'wrong.py').write_text(WRONG)
    told = mypy('--strict', 'kept.py', cwd=tmp_path)
    assert told.startswith('Success'), told
    assert 'Incompatible types in assignment' in mypy('--strict', 'wrong.py', cwd=tmp_path)
    (tmp_path / 'table.py').write_text(NO_TABLE)
    (tmp_path / 'mypy.ini').write_text('[mypy]\n[mypy-pyarrow.*]\nignore_missing_imports = True\n')
    told = mypy('--strict', 'table.py', cwd=tmp_path)
    assert told.startswith('Success'), told  # pyarrow has no types, so its reader is Any


def test_readme__examples_are_typed(tmp_path):
    """All of them as one program; pyarrow, which has no types, is not asked."""
    with open(os.path.join(PACKAGE, 'README.md'), encoding='utf-8') as file:
        blocks = re.findall(r'```python\n(.*?)```', file.read(), re.DOTALL)
    (tmp_path / 'readme.py').write_text('\n'.join(blocks))
    (tmp_path / 'mypy.ini').write_text('[mypy]\n[mypy-pyarrow.*]\nfollow_imports = skip\nignore_missing_imports = True\n')
    told = mypy('--strict', 'readme.py', cwd=tmp_path)
    assert len(blocks) >= 7 and told.startswith('Success'), told


def test_star__leaves_what_python_has():
    assert not set(libgsort.__all__) & set(dir(builtins))


def test_public_names__have_hints_at_run_time():
    for name in libgsort.__all__:
        value = getattr(libgsort, name)
        calls = [member for of, member in inspect.getmembers(value, inspect.isfunction) if not of.startswith('_')] if inspect.isclass(value) else []
        for call in (value, *calls):
            assert typing.get_type_hints(call) or not call.__annotations__, call
    assert typing.get_type_hints(libgsort.sort)['return'] is libgsort.Report


def test_module__has_no_names_of_its_own_making():
    assert not hasattr(libgsort, '__getattr__')
