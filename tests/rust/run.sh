#!/bin/bash
# Tests of the Rust crate, by cargo: its tests and the examples in its documents.
#
#     tests/rust/run.sh LIBRARY BUILD_DIR [CARGO_TEST_ARGUMENT]...
#
# LIBRARY is libgsort.so; cargo builds in BUILD_DIR and downloads nothing. Prints what cargo prints, and last
# `N passed, N failed, 0 skipped`.
set -eu
if ! cargo --version >/dev/null 2>&1; then
    echo "skipped: no cargo; tools/dev/setup.sh tests installs it"
    exit 77
fi
GSORT_LIB_DIR=$(cd "$(dirname "$1")" && pwd)
export GSORT_LIB_DIR LD_LIBRARY_PATH=$GSORT_LIB_DIR CARGO_TARGET_DIR=$2
cd "$(dirname "$0")/../../tools/rust"
status=0
said=$(cargo test --offline --locked "${@:3}" 2>&1) || status=$?
printf '%s\n' "$said"
awk '/^test result:/ { passed += $4; failed += $6 } END { print passed + 0 " passed, " failed + 0 " failed, 0 skipped" }' <<<"$said"
exit $status
