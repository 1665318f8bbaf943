#!/bin/bash
# An install has all files and no others, its programs run, and an uninstall removes them and nothing else.
#
#     tests/cli/install.sh BUILD_DIR CMAKE
#
# Silent when everything holds; otherwise one line a broken check and exit status 1.
set -u
# shellcheck source=tests/support/installed.sh
. "$(dirname "$0")/../support/installed.sh"

prefix=$scratch/prefix
mkdir -p "$prefix/bin" && echo "another's" >"$prefix/bin/sort"
install_to "$prefix"
(cd "$prefix" && find . -type f -o -type l | sed 's#^./##; s#^lib/[^/]*-linux-gnu[^/]*/#lib/#; s#-[a-z]*[.]cmake#-BUILD.cmake#' | LC_ALL=C sort) >"$scratch/files"
diff - "$scratch/files" <<'END' || fail "these files are not what is to be installed"
bin/gsort
bin/gsort-bench
bin/gsort-gen
bin/sort
include/gsort.h
include/gsort.hpp
lib/cmake/gsort/gsortConfig.cmake
lib/cmake/gsort/gsortConfigVersion.cmake
lib/cmake/gsort/gsortShared-BUILD.cmake
lib/cmake/gsort/gsortShared.cmake
lib/cmake/gsort/gsortStatic-BUILD.cmake
lib/cmake/gsort/gsortStatic.cmake
lib/libgsort.a
lib/libgsort.so
lib/libgsort.so.0
lib/libgsort.so.1.0.0
lib/pkgconfig/gsort.pc
share/bash-completion/completions/gsort
share/bash-completion/completions/gsort-bench
share/bash-completion/completions/gsort-gen
share/doc/gsort/CXX.md
share/doc/gsort/MANUAL.md
share/doc/gsort/RECIPES.md
share/doc/gsort/manual/clusters.md
share/doc/gsort/manual/failures.md
share/doc/gsort/manual/formats.md
share/doc/gsort/manual/gpus.md
share/doc/gsort/manual/promises.md
share/doc/gsort/recipes/bustools.md
share/doc/gsort/recipes/csv-and-parquet.md
share/doc/gsort/recipes/edges.md
share/doc/gsort/recipes/gensort.md
share/doc/gsort/recipes/hashes.md
share/doc/gsort/recipes/minhash.md
share/doc/gsort/recipes/osm-ways.md
share/doc/gsort/recipes/rainbow-tables.md
share/doc/gsort/recipes/ticks.md
share/doc/gsort/recipes/tippecanoe.md
share/doc/gsort/recipes/triples.md
share/fish/vendor_completions.d/gsort-bench.fish
share/fish/vendor_completions.d/gsort-gen.fish
share/fish/vendor_completions.d/gsort.fish
share/gsort/report.schema.json
share/man/man1/gsort-bench.1
share/man/man1/gsort-gen.1
share/man/man1/gsort.1
share/man/man3/libgsort.3
share/zsh/site-functions/_gsort
share/zsh/site-functions/_gsort-bench
share/zsh/site-functions/_gsort-gen
END
for program in gsort gsort-gen gsort-bench; do
    "$prefix/bin/$program" --version | grep -q "^$program [0-9]" || fail "$program --version"
done
uninstall || fail "uninstall: $(cat "$scratch/log")"
[ "$(cd "$prefix" && find . -mindepth 1 | LC_ALL=C sort | xargs)" = "./bin ./bin/sort" ] || fail "left: $(find "$prefix")"
uninstall && fail "uninstalled twice"
grep -q 'there is none' "$scratch/log" || fail "a second time: $(cat "$scratch/log")"

# Installed twice, the second time into directories that the first one made; one that was there before stays.
prefix=$scratch/new
mkdir -p "$prefix/share/man"
install_to "$prefix"
install_to "$prefix"
uninstall || fail "after two: $(cat "$scratch/log")"
[ "$(cd "$prefix" && find . -mindepth 1 | LC_ALL=C sort | xargs)" = "./share ./share/man" ] || fail "after two, left: $(find "$prefix")"

# Into a root of its own, as packages are made.
export DESTDIR=$scratch/root
install_to /usr
[ -x "$DESTDIR/usr/bin/gsort" ] || fail "DESTDIR: no gsort"
uninstall || fail "DESTDIR, uninstall: $(cat "$scratch/log")"
[ ! -e "$DESTDIR/usr" ] || fail "DESTDIR: left: $(find "$DESTDIR")"
exit "$broken"
