#!/usr/bin/env bash
# faults.sh: every call of every kind fails once, in jobs of every kind, and signals come at every call
# and at random times; prints how many faults were tried (tests/faults/run_faults.py says what is checked).
#   tools/dev/faults.sh [PRESET] [OPTION]...     default: cpu-only; asan-ubsan also looks for leaks
set -euo pipefail
cd "$(dirname "$0")/../.."
preset=${1:-cpu-only}
[ $# -eq 0 ] || shift
cmake --preset "$preset" -DGSORT_TESTS=ON >/dev/null
cmake --build --preset "$preset" --target gsort-faults >/dev/null
exec python3 tests/faults/run_faults.py "build/$preset/tests" --full --signals 200 --numbers "$@"
