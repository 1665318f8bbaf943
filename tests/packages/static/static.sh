#!/bin/bash
# static.sh GSORT GSORT_GEN: checks that a static gsort needs no other file. It sorts in a root directory that contains only the
# program and its data.
#
# Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1.
set -u
[ "$(id -u)" -eq 0 ] || { echo "skipped: no root" && exit 77; }
broken=0
fail() {
    echo "static.sh: $*"
    broken=1
}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
readelf -ldW "$1" | grep -q 'NEEDED\|INTERP' && fail "$1 needs a library"
readelf -dW "$1" | grep -q 'FLAGS_1.*NOW PIE' || fail "$1 is not PIE"
cp "$1" "$root/gsort" && "$2" -d uniform -n 1500000 -o "$root/x.u64"
chroot "$root" /gsort -S 12M x.u64 -o y.u64 >"$root/log" 2>&1 || fail "a sort that spills: $(cat "$root/log")"
chroot "$root" /gsort x.u64 -o z.u64.zst >"$root/log" 2>&1 || fail "a sort: $(cat "$root/log")"
python3 - "$root" <<'END_PYTHON' || fail "it sorts wrong"
import array, sys
given, made = (array.array('Q', open(f'{sys.argv[1]}/{name}', 'rb').read()) for name in ('x.u64', 'y.u64'))
sys.exit(sorted(given) != list(made) or len(made) != 1500000)
END_PYTHON
zstd -qdc "$root/z.u64.zst" | cmp -s - "$root/y.u64" || fail "it packs wrong"
exit "$broken"
