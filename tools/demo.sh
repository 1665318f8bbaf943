#!/usr/bin/env bash
# demo.sh: installs missing packages, builds gsort and sorts 1 GiB of random numbers with a quarter of that memory. It checks the result
# and shows the report.
set -euo pipefail
place=$(realpath -e "${1:-.}")
cd "$(dirname "$0")/.."
tools/dev/setup.sh
# Kernels take most of the time to build, and only a GPU runs them.
cuda=OFF
! nvidia-smi -L >/dev/null 2>&1 || cuda=ON
cmake --preset install -DGSORT_TESTS=OFF -DGSORT_CUDA=$cuda >/dev/null
cmake --build --preset install --target gsort gsort-gen
bin=$PWD/build/install/bin

data=$(mktemp -d "$place/gsort-demo-XXXXXX")
trap 'rm -rf "$data"' EXIT
run() {
    echo
    echo "\$ $*" | sed "s|$bin/||; s|$data/||g"
    "$@"
}
run "$bin/gsort-gen" --dist uniform --type u64 --size 1G --seed 1 -o "$data/uniform.u64"
run "$bin/gsort" "$data/uniform.u64" -o "$data/sorted.u64" -S 256M --stats
run "$bin/gsort" --check "$data/sorted.u64"
echo "sorted.u64 is in order."
