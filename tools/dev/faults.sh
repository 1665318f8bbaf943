#!/usr/bin/env bash
# faults.sh: lets every call of every kind fail once, in jobs of every kind, and sends signals at every call and at random times.
# Prints how many faults it tried (tests/faults/run_faults.py says what is checked).
set -euo pipefail
cd "$(dirname "$0")/../.."
preset=${1:-cpu-only}
[ $# -eq 0 ] || shift
cmake --preset "$preset" -DGSORT_TESTS=ON >/dev/null
cmake --build --preset "$preset" --target gsort-faults >/dev/null
exec python3 tests/faults/run_faults.py "build/$preset/tests" --full --signals 200 --numbers "$@"
