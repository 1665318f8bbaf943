"""mypy --strict finds nothing in the package, and knows its types."""
import os
import subprocess
import sys

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
