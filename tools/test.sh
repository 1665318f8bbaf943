#!/usr/bin/env bash
# test.sh: installs what is missing, looks for what can be found without running anything (lint.sh), builds
# gsort and runs every test: the release build, then the address and undefined-behaviour sanitizers, then the
# thread sanitizer. Warnings are errors.
#   tools/test.sh [PRESET]...     default: release asan-ubsan tsan
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh tests
tools/lint.sh
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release asan-ubsan tsan)
for preset in "${presets[@]}"; do
    echo "== $preset"
    cmake --preset "$preset" -DGSORT_TESTS=ON -DGSORT_WERROR=ON >/dev/null
    cmake --build --preset "$preset"
    ctest --preset "$preset" -j "$(nproc)"
done
