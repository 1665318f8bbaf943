#!/usr/bin/env bash
# test.sh: installs missing packages, runs lint.sh, builds gsort and runs every test. Presets are the release build, the address and
# undefined-behaviour sanitizers, the thread sanitizer, and on x86-64 a part for aarch64 under QEMU (tests/README.md). Warnings are errors.
# Last it prints what was skipped and why, and `N passed, N failed, N skipped` over all presets (tests/count.py). Exit status 0: none
# failed; with CI set, none was skipped except for the reasons in tests/may_skip.txt.
# While it tests one preset it builds the next one, with ccache if there is one. It shows build/PRESET/build.log if that fails.
# Random tests draw from a seed of the day, which is printed. GS_TEST_SEED=N replays the tests of another run.
# Some tests run by thirds, another third each day: faults, bounded_cost, sorts on a Ray cluster, cli_option_pairs and tests of packages.
# In all presets except release, test programs and cases of the command line do so, too. GS_TEST_ALL=1 runs all, GS_TEST_THIRD=1, 2 or 3
# that third.
#   tools/test.sh [PRESET]...     default: release asan-ubsan tsan aarch64
set -euo pipefail
cd "$(dirname "$0")/.."
# Not the date itself: cases are drawn by seed plus number, so that two days would share most of them.
export GS_TEST_SEED=${GS_TEST_SEED:-$(date -u +%F | cksum | cut -d" " -f1)}
export GS_TEST_THIRD=${GS_TEST_THIRD:-$(($(date -u +%s) / 86400 % 3 + 1))}
[ "${GS_TEST_ALL:-}" != 1 ] || GS_TEST_THIRD=
settings="GS_TEST_SEED=$GS_TEST_SEED ${GS_TEST_THIRD:+GS_TEST_THIRD=$GS_TEST_THIRD}"
echo "$settings"
tools/dev/setup.sh tests
tools/dev/lint.sh
presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then
    presets=(release asan-ubsan tsan)
    [ "$(uname -m)" != x86_64 ] || presets+=(aarch64)
fi
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi

# Writes how many seconds it took, or "none" where there is no compiler for the preset.
build() { # PRESET
    local begin=$SECONDS
    if [ "$1" = aarch64 ] && ! tools/dev/setup.sh aarch64; then
        echo none >"build/$1/built"
        return
    fi
    cmake --preset "$1" -DGSORT_TESTS=ON -DGSORT_WERROR=ON -DGSORT_TESTS_THIRD="$GS_TEST_THIRD"
    nice cmake --build --preset "$1"
    echo $((SECONDS - begin)) >"build/$1/built"
}

begin_build() { # PRESET: in the background
    mkdir -p "build/$1"
    rm -f "build/$1/built"
    build "$1" >"build/$1/build.log" 2>&1 &
    builder=$!
}

builder=
trap '[ -z "$builder" ] || kill "$builder" 2>/dev/null || true' EXIT
status=0 results=() times=()
begin_build "${presets[0]}"
for i in "${!presets[@]}"; do
    preset=${presets[i]}
    echo "== $preset"
    result=$PWD/build/$preset/tests.xml
    results+=("$preset=$result")
    if ! wait "$builder"; then
        builder=
        grep -A 20 -E '^FAILED:|error' "build/$preset/build.log" || tail -n 40 "build/$preset/build.log"
        echo "$preset does not build; all of it: build/$preset/build.log"
        exit 1
    fi
    builder=
    sed -n 's/^-- Kernels/Kernels/p' "build/$preset/build.log"
    [ $((i + 1)) -ge ${#presets[@]} ] || begin_build "${presets[i + 1]}"
    built=$(<"build/$preset/built")
    if [ "$built" = none ]; then
        echo '<testsuite><testcase name="build" status="notrun"><skipped message="SKIP_"/><system-out>skipped: no cross compiler' \
            '</system-out></testcase></testsuite>' >"$result"
        continue
    fi
    rm -f "$result"
    begin=$SECONDS
    # Two more than processors: many tests wait, for disks, clusters, installers or processes.
    ctest --preset "$preset" -j $(($(nproc) + 2)) --output-junit "$result" --test-output-size-passed 10000000 \
        --test-output-size-failed 10000000 || status=1
    times+=("$preset: built in $built s, tested in $((SECONDS - begin)) s")
done
echo
printf '%s\n' "${times[@]}" "$settings tools/test.sh ${presets[*]} replays this run"
python3 tests/count.py "${results[@]}" || status=1
exit $status
