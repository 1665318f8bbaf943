#!/bin/bash
# Checks the packages that one command makes. Checks are: lintian finds no fault; they install into a clean Debian and sort there;
# programs are built with them; removing them leaves nothing. The tree of the tar runs from a path with blanks.
#
#     tests/packages/packages.sh BUILD_DIR CMAKE CC VERSION
#
# Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1.
set -u
# shellcheck source=tests/support/installed.sh
. "$(dirname "$0")/../support/installed.sh"
cc=$3 version=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
packages=$build/packages
for program in dpkg-deb dpkg-shlibdeps dpkg-gensymbols lintian mandoc objdump zstd; do
    command -v $program >/dev/null || { echo "skipped: no $program" && exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: no root" && exit 77; }
unshare -m true 2>/dev/null || { echo "skipped: no unshare" && exit 77; }

# same WHAT FILE: the standard input is FILE's content. At the end of a pipe it is still this shell that fails.
shopt -s lastpipe
same() {
    diff - "$2" >"$scratch/diff" || fail "$1: $(cat "$scratch/diff")"
}
# do_or_fail WHAT COMMAND...
do_or_fail() {
    "${@:2}" >"$scratch/log" 2>&1 || fail "$1: $(cat "$scratch/log")"
}
# needed FILE: the shared libraries that it asks for.
needed() {
    objdump -p "$1" | sed -n 's/^ *NEEDED *//p' | LC_ALL=C sort | xargs
}
run_path() {
    readelf -d "$1" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p'
}

rm -rf "$packages"
do_or_fail "packages" "$cmake" --build "$build" --target packages
cd "$packages" || exit 1
arch=$(dpkg --print-architecture) machine=$(uname -m)
debs=(gsort-tools libgsort0 libgsort-dev python3-libgsort)
files=()
for deb in "${debs[@]}"; do
    files+=("${deb}_${version}_$arch.deb")
done
tree=gsort-$version-linux-$machine
printf '%s\n' * | same "packages" <(printf '%s\n' "${files[@]}" "$tree.tar.zst" | LC_ALL=C sort)
# Programs with kernels contain the messages of NVIDIA's runtime, with their spelling.
do_or_fail lintian lintian --suppress-tags spelling-error-in-binary --allow-root --display-info --pedantic --fail-on error,warning,info,pedantic "${files[@]}"

# The tree: libraries that compilers bring, and those beside it.
mkdir "$scratch/a place" && tar -C "$scratch/a place" --zstd -xf "$tree.tar.zst" || fail "tar"
tree="$scratch/a place/$tree"
for file in "$tree"/bin/*; do
    [ "$(run_path "$file")" = "\$ORIGIN/../lib" ] || fail "$file: run path $(run_path "$file")"
done
[ "$(run_path "$tree/lib/libgsort.so.0")" = "\$ORIGIN" ] || fail "libgsort.so.0: run path $(run_path "$tree/lib/libgsort.so.0")"
for file in "$tree"/bin/* "$tree/lib/libgsort.so.0"; do
    for library in $(needed "$file"); do
        case $library in
        libc.so.6 | libm.so.6 | libstdc++.so.6 | libgcc_s.so.1 | ld-linux*) ;;
        *) [ -e "$tree/lib/$library" ] || fail "$file needs $library" ;;
        esac
    done
done
(cd "$scratch" && "$tree/bin/gsort-gen" -d uniform -n 300000 -o x.u64 && "$tree/bin/gsort" x.u64 -S 10M -o y.u64) || fail "the tree does not sort"
python3 - "$scratch/x.u64" "$scratch/y.u64" <<'END_PYTHON' || fail "the tree sorts wrong"
import array, sys
given, made = (array.array('Q', open(name, 'rb').read()) for name in sys.argv[1:])
sys.exit(sorted(given) != list(made) or len(made) != 300000)
END_PYTHON
found=$(PKG_CONFIG_PATH="$tree/lib/pkgconfig" pkg-config --cflags --libs gsort) || fail "the tree: pkg-config"
eval "$cc -std=c17 '$source/tests/consumer/consumer.c' $found -Wl,-rpath,'$tree/lib' -o '$scratch/consumer'" || fail "the tree: a program is not built"
(mkdir "$scratch/run" && cd "$scratch/run" && "$scratch/consumer") >"$scratch/log" 2>&1 || fail "the tree, a program: $(cat "$scratch/log")"

[ "$machine" != x86_64 ] || do_or_fail "the tree on an old Linux" python3 "$source/tests/packages/old_linux.py" "$tree/bin"
# The stated needs are exactly the real ones: another program counts them again.
versions() { # WHAT: the newest of these symbols
    find "$tree/bin" "$tree/lib" -type f -exec objdump -p {} + 2>/dev/null | grep -o " $1_[0-9.]*\$" | sed 's/.*_//' | sort -V | tail -n 1
}
printf '%s or later\n' "Linux $(readelf -n "$tree/bin/gsort" | sed -n 's/.*ABI: //p')" "glibc $(versions GLIBC)" "libstdc++ with GLIBCXX $(versions GLIBCXX)" |
    same "share/doc/gsort/NEEDS" "$tree/share/doc/gsort/NEEDS"
do_or_fail "the tree" "$source/tests/packages/hardened.sh" "$tree"/bin/* "$tree/lib/libgsort.so.0"

# A clean Debian: essential packages and their dependencies.
root=$scratch/root
mkdir "$root"
in_root() {
    unshare -m bash -c 'mount -t proc proc "$0/proc" 2>/dev/null || mount --rbind /proc "$0/proc"
        mount --rbind /dev "$0/dev" && exec chroot "$0" env -i PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 "$@"' "$root" "$@"
}
contents() { # but dpkg's records, and what ldconfig makes
    (cd "$root" && find . -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache/ldconfig -prune -o ! -name ld.so.cache -print) |
        LC_ALL=C sort
}
clean_root() { # DEB...
    python3 "$source/tests/packages/clean_root.py" "$root" "$@" >"$scratch/log" 2>&1 || fail "clean root: $(cat "$scratch/log")"
}
# The programs by themselves, with only their dependencies.
clean_root "${files[0]}"
[ ! -e "$root/usr/bin/gsort" ] || fail "the root has a gsort"
do_or_fail "dpkg -i gsort-tools" dpkg --root="$root" -i "${files[0]}"
for program in gsort gsort-gen gsort-bench; do
    in_root $program --version | grep -q "^$program $version" || fail "$program --version"
done
do_or_fail "dpkg --purge gsort-tools" dpkg --root="$root" --purge gsort-tools
# All packages.
clean_root "${files[@]}"
contents >"$scratch/before"
export PYTHONDONTWRITEBYTECODE=1 # Python's own modules, that is: those of the package are compiled by dpkg
do_or_fail "dpkg -i" dpkg --root="$root" -i "${files[@]}"
do_or_fail "dpkg --verify" dpkg --root="$root" --verify "${debs[@]}"
contents | diff "$scratch/before" - | sed -n 's#^> [.]/##p' | (cd "$root" && while IFS= read -r name; do [ -d "$name" ] || echo "$name"; done) |
    sed "s#$machine-[a-z-]*#MULTIARCH#; s#-[a-z]*[.]cmake#-BUILD.cmake#; s#$version#VERSION#
    /__pycache__/d; s#libgsort/\(ray/\|tables/\)\{0,1\}[a-z0-9_]*[.]py\$#libgsort/\1MODULE.py#" | LC_ALL=C sort -u >"$scratch/installed"
same "these files are not what is to be installed" "$scratch/installed" <"$source/tests/packages/installed.txt"
multiarch=$(dirname "$(cd "$root/usr/lib" && echo ./*/libgsort.so.0)")
do_or_fail "installed" "$source/tests/packages/hardened.sh" "$root"/usr/bin/gsort* "$root/usr/lib/$multiarch/libgsort.so.0" \
    "$root/usr/lib/python3/dist-packages/libgsort/libgsort_arrow.so"

cp "$scratch/x.u64" "$root/tmp"
do_or_fail "gsort-gen" in_root gsort-gen -d uniform -n 300000 -o /tmp/x2.u64
cmp "$scratch/x.u64" "$root/tmp/x2.u64" || fail "gsort-gen makes something else"
do_or_fail "gsort" in_root gsort /tmp/x.u64 -S 10M -o /tmp/y.u64
cmp "$scratch/y.u64" "$root/tmp/y.u64" || fail "gsort sorts otherwise"
in_root gsort --device=cuda /tmp/x.u64 -o /tmp/z.u64 >"$scratch/log" 2>&1 && fail "a GPU in a root without a driver"
[ "$(wc -l <"$scratch/log")" = 1 ] && grep -q '^gsort: .*device' "$scratch/log" || fail "--device=cuda: $(cat "$scratch/log")"
for file in "$root"/usr/bin/gsort* "$root/usr/lib/$multiarch"/libgsort.so.*.*; do
    # Programs look for a GPU's driver when they run, and contain the CUDA runtime.
    needed "$file" | grep -qi 'cuda\|nv' && fail "$file needs $(needed "$file")"
    [ -z "$(run_path "$file")" ] || fail "$file: run path $(run_path "$file")"
done
cat >"$root/tmp/sorts.py" <<'END_PYTHON'
import importlib.metadata
import numpy
import libgsort
a = numpy.fromfile('/tmp/x.u64', '<u8')
assert libgsort.sort(a).count == len(a)
assert (a == numpy.fromfile('/tmp/y.u64', '<u8')).all()
libgsort.sort_file('/tmp/x.u64', '/tmp/z.u64', memory='10M')
assert (a == numpy.fromfile('/tmp/z.u64', '<u8')).all()
assert libgsort.__file__ == '/usr/lib/python3/dist-packages/libgsort/__init__.py', libgsort.__file__
with libgsort.Sorter(dtype='u8') as sorter, libgsort.Sorter() as other:
    sorter.push(a[::-1].copy())
    other.push(sorter)  # through Arrow's stream: by the library beside the module
print(importlib.metadata.version('libgsort'))
END_PYTHON
in_root python3 /tmp/sorts.py >"$scratch/log" 2>&1 || fail "Python: $(cat "$scratch/log")"
[ -e "$root/usr/lib/python3/dist-packages/libgsort/__pycache__" ] || fail "Python: not compiled"
[ "$(cat "$scratch/log")" = "$version" ] || fail "Python, version: $(cat "$scratch/log")"
for page in "$root"/usr/share/man/man?/*gsort*; do
    gzip -dc "$page" | mandoc -T lint -W error >"$scratch/log" || fail "$page: $(cat "$scratch/log")"
done

# Programs are built with the package and run there; the symbols file is the library's.
export PKG_CONFIG_LIBDIR=$root/usr/lib/$multiarch/pkgconfig
for kind in shared static; do
    found=$(pkg-config $([ $kind = shared ] || echo --static) --cflags --libs gsort) || fail "$kind: pkg-config"
    if [ $kind = static ]; then
        # The CUDA runtime, where there are kernels, is where it is on this machine.
        found="${found/-lgsort/-l:libgsort.a} $(grep -o -e '-L[^ ]*cuda[^ ]*' "$build/src/dev/gsort.pc")"
    fi
    # The result is several words for the compiler.
    # shellcheck disable=SC2086
    do_or_fail "$kind: a program" "$cc" -std=c17 "$source/tests/consumer/consumer.c" $found -o "$root/tmp/$kind"
    do_or_fail "$kind: it runs" in_root sh -c "cd /tmp && ./$kind"
done
mkdir -p "$scratch/symbols/debian" && cd "$scratch/symbols" || exit 1
printf 'Source: gsort\nMaintainer: x <x@gsort.invalid>\n\nPackage: libgsort0\nArchitecture: any\nDescription: x\n x\n' >debian/control
dpkg-deb --ctrl-tarfile "$packages/${files[1]}" | tar -x ./symbols
do_or_fail "symbols" dpkg-gensymbols -c4 -plibgsort0 -v"$version" -Isymbols -Osymbols.new -e"$root/usr/lib/$multiarch/libgsort.so.$version"
grep -q "^ gs_job_run@GSORT_0.1 " symbols.new || fail "symbols: $(cat symbols.new)"

# Another package also contains /usr/bin/gsort.
mkdir -p "$scratch/other/DEBIAN"
printf 'Package: gsort\nVersion: 1\nArchitecture: all\nMaintainer: x <x@gsort.invalid>\nDescription: x\n' >"$scratch/other/DEBIAN/control"
dpkg-deb -b "$scratch/other" "$scratch/other.deb" >/dev/null
dpkg --root="$root" -i "$scratch/other.deb" >"$scratch/log" 2>&1 && fail "the package gsort beside gsort-tools"
grep -q 'gsort-tools conflicts with gsort\|conflicting packages' "$scratch/log" || fail "conflict: $(cat "$scratch/log")"

rm -f "$root"/tmp/*
do_or_fail "dpkg --purge" dpkg --root="$root" --purge "${debs[@]}"
contents | same "left, or taken away" "$scratch/before"
exit "$broken"
