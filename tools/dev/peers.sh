#!/usr/bin/env bash
# peers.sh: gsort beside others at the same work, on this machine: seconds, medians of rounds in which they take turns.
# Every file is written and synced, the page cache is dropped before, and every result is compared with gsort's.
#   tools/dev/peers.sh [--size BYTES] [--memory BYTES] [--rounds N] [--dir DIR]
# --size    of random u64 (default 4 GiB), and a quarter of it of 100-byte records with keys of 10 bytes
# --memory  for gsort and STXXL, default 1 GiB; the others take what the files need
#
#   u64       gsort; gsort -S MEMORY; cp and sync; a plain io_uring copy loop, once and twice; stxxl::sort
#   records   gsort; bsort's method; numpy.sort of a structured array
# Needs root (to drop the page cache), a release build, libstxxl-dev, NumPy. The peers are in tools/dev/peers; those on a
# GPU (CUB's sorts, merge and reduction, copies in its memory) are in `gsort-bench kernels`.
set -euo pipefail
size=$((4 << 30)) memory=$((1 << 30)) rounds=3 dir=.
while [ $# -gt 0 ]; do
    case $1 in
    --size) size=$2 ;;
    --memory) memory=$2 ;;
    --rounds) rounds=$2 ;;
    --dir) dir=$2 ;;
    *) echo "peers.sh: $1: no such option" >&2 && exit 2 ;;
    esac
    shift 2
done
here=$(cd "$(dirname "$0")" && pwd)
bin=$here/../../build/release/bin
work=$(mktemp -d -p "$(realpath "$dir")" gsort-peers-XXXXXX)
trap 'rm -rf "$work"' EXIT
"$here/setup.sh" tests libstxxl-dev
gcc -O3 -march=native -D_GNU_SOURCE "$here/peers/copy_loop.c" -o "$work/copy_loop" -luring
gcc -O3 -march=native -D_GNU_SOURCE "$here/peers/radix_mmap.c" -o "$work/radix_mmap"
g++ -O3 -march=native -w "$here/peers/stxxl_sort.cc" -o "$work/stxxl_sort" -lstxxl -fopenmp
cd "$work"
numpy=$(for python in python3 /usr/bin/python3; do "$python" -c 'import numpy' 2>/dev/null && echo "$python" && break; done)
echo "disk=$work/stxxl.tmp,0,syscall unlink direct=on" >stxxl.conf
export STXXLCFG=$work/stxxl.conf STXXLLOGFILE=/dev/null STXXLERRLOGFILE=/dev/null

"$bin/gsort-gen" --dist uniform --type u64 --size "$size" -o x.u64
"$bin/gsort-gen" --dist uniform --type u32 --size $((size / 400 * 100)) -o records
"$bin/gsort" -q x.u64 -o want.u64
"$bin/gsort" -q -R 100 -k 0:b10 records -o want.records

# take NAME WANT COMMAND [FILE]: one round of it; `out` is its output, which must be WANT. FILE: it sorts a copy in place.
take() {
    local begin end
    rm -f out
    [ $# -lt 4 ] || cp "$4" out
    sync
    echo 3 >/proc/sys/vm/drop_caches
    begin=$(date +%s%N)
    eval "$3" >/dev/null
    end=$(date +%s%N)
    cmp -s out "$2" || { echo "peers.sh: $1: another output" >&2 && exit 1; }
    echo "$1 $(((end - begin) / 1000000))" >>times
}

for ((round = 0; round < rounds; round++)); do
    take gsort want.u64 '"$bin/gsort" -q x.u64 -o out'
    take gsort-S want.u64 '"$bin/gsort" -q x.u64 -o out -S $memory'
    take cp+sync x.u64 'cp x.u64 out && sync out'
    take copy-loop x.u64 './copy_loop x.u64 out'
    take copy-loop-twice x.u64 './copy_loop x.u64 out 2'
    take stxxl want.u64 './stxxl_sort out $memory && sync out' x.u64
    take records-gsort want.records '"$bin/gsort" -q -R 100 -k 0:b10 records -o out'
    take records-bsort want.records './radix_mmap out 100 10' records
    take records-numpy want.records '"$numpy" "$here/peers/numpy_sort.py" records out'
done
sort -k1,1 -k2n times | awk -v rounds="$rounds" '
    { n[$1]++; if (n[$1] == 1) least[$1] = $2; if (n[$1] == int((rounds + 1) / 2)) median[$1] = $2; most[$1] = $2 }
    END { for (name in n) printf "%-16s %8.2f s   (%.2f .. %.2f)\n", name, median[name] / 1000, least[name] / 1000, most[name] / 1000 }' | sort
