#!/usr/bin/env bash
# test.sh: installs what is missing, looks for what can be found without running anything (lint.sh), builds
# gsort and runs every test: the release build, then the address and undefined-behaviour sanitizers, then the
# thread sanitizer, then, on x86-64, a part for aarch64 under QEMU (tests/README.md). Warnings are errors. Last it prints what
# was skipped and why, and `N passed, N failed, N skipped` over all presets (tests/count.py). Exit status 0: none failed;
# with CI set: and none was skipped but for the reasons in tests/may_skip.txt.
# Random tests draw from a seed of the day, which is printed. GS_TEST_SEED=N replays the tests of another run.
#   tools/test.sh [PRESET]...     default: release asan-ubsan tsan aarch64
set -euo pipefail
cd "$(dirname "$0")/.."
# Not the date itself: cases are drawn by seed plus number, so that two days would share most of them.
export GS_TEST_SEED=${GS_TEST_SEED:-$(date -u +%F | cksum | cut -d" " -f1)}
echo "GS_TEST_SEED=$GS_TEST_SEED"
tools/dev/setup.sh tests
tools/dev/lint.sh
presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then
    presets=(release asan-ubsan tsan)
    [ "$(uname -m)" != x86_64 ] || presets+=(aarch64)
fi
status=0 results=() times=()
for preset in "${presets[@]}"; do
    echo "== $preset"
    begin=$SECONDS
    result=$PWD/build/$preset/tests.xml
    results+=("$preset=$result")
    if [ "$preset" = aarch64 ] && ! tools/dev/setup.sh aarch64; then
        mkdir -p "build/$preset"
        echo '<testsuite><testcase name="build" status="notrun"><skipped message="SKIP_"/><system-out>skipped: no cross compiler' \
            '</system-out></testcase></testsuite>' >"$result"
        continue
    fi
    cmake --preset "$preset" -DGSORT_TESTS=ON -DGSORT_WERROR=ON | sed -n 's/^-- Kernels/Kernels/p'
    cmake --build --preset "$preset"
    built=$SECONDS
    rm -f "$result"
    # One more than processors: some tests wait, for disks, clusters or installers.
    ctest --preset "$preset" -j $(($(nproc) + 1)) --output-junit "$result" --test-output-size-passed 10000000 \
        --test-output-size-failed 10000000 || status=1
    times+=("$preset: built in $((built - begin)) s, tested in $((SECONDS - built)) s")
done
echo
printf '%s\n' "${times[@]}"
echo "GS_TEST_SEED=$GS_TEST_SEED tools/test.sh ${presets[*]} replays this run"
python3 tests/count.py "${results[@]}" || status=1
exit $status
