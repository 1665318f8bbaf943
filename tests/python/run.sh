#!/bin/bash
# Tests of the Python package, by pytest: one file of them.
#
#     tests/python/run.sh LIBRARY FILE [PYTEST_ARGUMENT]...
#
# LIBRARY is libgsort.so.0. Python and what tests need of PyPI are in build/python, where tools/dev/setup.sh tests puts them.
# Prints what failed or was skipped, and last `N passed, N failed, N skipped` (conftest.py).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=$root/build/python/bin/python3
if ! [ -e "$root/build/python/is_complete" ]; then
    echo "skipped: no packages of PyPI; tools/dev/setup.sh tests installs them"
    exit 77
fi
export LIBGSORT_LIBRARY=$1 PYTHONPATH=$root/tools/python PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A process group of its own, with a parent in this session: tests of Ray stop processes. In an orphaned group that would
# bring SIGHUP to all others in it, which are all tests of ctest if these run without a terminal.
set -m
"$python" -m pytest -q -p no:cacheprovider --hypothesis-seed="${GS_TEST_SEED:-0}" --basetemp "$scratch/tests" --rootdir "$root/tests/python" -c /dev/null "$root/tests/python/$2" "${@:3}" &
set +m
trap 'kill -- -$! 2>/dev/null' INT TERM
wait $!
