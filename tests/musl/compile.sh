#!/bin/bash
# compile.sh BUILD_DIR: checks that all C sources of the library and the programs compile with musl's headers without a warning.
# C++ sources (VQSort's caller, merges by vectors, coders) need a libstdc++ for musl, which Debian lacks and Alpine has. So
# nothing is linked or run here. Sources that need CUDA's headers, which are made for glibc, are left out, and so are sources for
# glibc's wheels only.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v musl-gcc >/dev/null || { echo "skipped: no musl-gcc" && exit 77; }
multiarch=$(gcc -print-multiarch)
sources=$(grep -rhoE '"file": ".*/(src|tools)/[^"]*[.]c"' "$1/compile_commands.json" | cut -d'"' -f4 | grep -vE '/tools/(gsort-bench/gpu/|python/old_glibc)' | LC_ALL=C sort -u)
[ "$(wc -l <<<"$sources")" -gt 200 ] || { echo "musl: these are not the sources: $sources" && exit 1; }
printf '%s\n' "$sources" | xargs -P "$(nproc)" -n 8 musl-gcc -std=c17 -O1 -fsyntax-only -Wall -Wextra -Werror -Wno-psabi \
    -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DGSORT_VERSION='"0"' -Isrc -Itools -I"$1/src" -idirafter /usr/include -idirafter "/usr/include/$multiarch"
