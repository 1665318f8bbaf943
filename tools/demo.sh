#!/usr/bin/env bash
# demo.sh: installs what is missing, builds gsort, makes 1 GiB of random numbers, sorts them with a
# quarter of that memory, checks the result and shows the report.
#   tools/demo.sh [DIRECTORY]     for the data; default a temporary one in the current directory
set -euo pipefail
cd "$(dirname "$0")/.."
here=$OLDPWD
tools/dev/setup.sh
# Kernels take most of the time to build, and only a GPU runs them.
preset=cpu-only
! nvidia-smi -L >/dev/null 2>&1 || preset=release
cmake --preset "$preset" -DGSORT_TESTS=OFF >/dev/null
cmake --build --preset "$preset" --target gsort gsort-gen
bin=$PWD/build/$preset/bin

data=${1:-$(mktemp -d "$here/gsort-demo-XXXXXX")}
trap 'rm -f "$data/uniform.u64" "$data/sorted.u64"; rmdir "$data" 2>/dev/null || true' EXIT
run() {
    echo
    echo "\$ $*" | sed "s|$bin/||; s|$data/||g"
    "$@"
}
run "$bin/gsort-gen" --dist uniform --type u64 --size 1G --seed 1 -o "$data/uniform.u64"
run "$bin/gsort" "$data/uniform.u64" -o "$data/sorted.u64" -S 256M --stats
run "$bin/gsort" --check "$data/sorted.u64"
echo "sorted.u64 is in order."
