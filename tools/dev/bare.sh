#!/usr/bin/env bash
# bare.sh: runs both commands of the README in a bare Debian, as a user does: tools/demo.sh, then tools/test.sh with CI set.
# With mmdebstrap it makes a minimal root directory from this machine's package sources, with the committed files. Prints the
# demo's output, the skipped tests and the last line of the tests; whole logs are in build/bare.
#   tools/dev/bare.sh [--release NAME] [PRESET]...     bookworm, trixie; default that of this machine
#                                                      presets of tools/test.sh, default all; none: the demo only
# Needs root, mmdebstrap, and some 6 GiB in $TMPDIR. The root is a root of its own, not a chroot: tests make name spaces.
set -euo pipefail
here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
release=$here
[ "${1:-}" != --release ] || { release=$2 && shift 2; }
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "bare.sh: needs root" >&2 && exit 2; }
command -v mmdebstrap >/dev/null || { echo "bare.sh: needs mmdebstrap; run: apt-get install mmdebstrap" >&2 && exit 2; }
[ -z "$(git status --porcelain)" ] || echo "bare.sh: what is not committed is left out" >&2

logs=$PWD/build/bare
root=$(mktemp -d "${TMPDIR:-/tmp}/gsort-bare-XXXXXX")
lists=$(mktemp -d)
trap 'rm -rf --one-file-system "$root" "$lists"' EXIT
mkdir -p "$logs"
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    ! grep -qsw "$here" "$file" || { sed "s/\b$here\b/$release/g" "$file" >"$lists/${file##*/}" && sources+=("$lists/${file##*/}"); }
done
mmdebstrap --quiet --variant=minbase "$release" "$root" "${sources[@]}"
cp -L /etc/resolv.conf /etc/hosts "$root/etc"
# How this machine's pip reaches PyPI. (Installing Debian's certificates makes those of the root anew.)
mapfile -t pip_settings < <(env | grep '^PIP_' || true)
if [ -n "${PIP_CERT:-}" ]; then
    cp -L "$PIP_CERT" "$root/root/pip_cert.pem"
    pip_settings+=(PIP_CERT=/root/pip_cert.pem)
fi
mkdir "$root/gsort"
git archive HEAD | tar -x -C "$root/gsort"
echo "bare Debian $(cat "$root/etc/debian_version"), $(chroot "$root" dpkg-query -f '.\n' -W | wc -l) packages; gsort $(git rev-parse --short HEAD)"

# in_root COMMAND: runs it in the bare root; all its processes end with the shell in there.
in_root() {
    unshare --mount --pid --fork --kill-child bash -eu -s "$root" "$1" "${pip_settings[@]}" <<'IN'
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
mount --rbind --make-rslave /sys sys
mount -t tmpfs -o mode=755 dev dev
for node in null zero full random urandom tty; do touch dev/$node && mount --bind /dev/$node dev/$node; done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for i in 0:in 1:out 2:err; do ln -s /proc/self/fd/${i%:*} dev/std${i#*:}; done
pivot_root . .
umount -l .
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true "${@:3}" bash -c "cd /gsort && $2" </dev/null
IN
}

# try NAME COMMAND: log, time and exit status.
status=0
try() {
    local begin=$SECONDS code=0
    in_root "$2" >"$logs/$1.log" 2>&1 || code=$?
    echo "$2: exit $code, $((SECONDS - begin)) s"
    [ $code -eq 0 ] || { status=1 && tail -40 "$logs/$1.log"; }
}

try demo tools/demo.sh
sed -n '/^\$ gsort-gen/,$p' "$logs/demo.log"
[ "$*" != none ] || exit $status
try test "tools/test.sh $*"
grep -E '^(Kernels|skipped|FAILED|NOT TO BE|[a-z-]+: built in)' "$logs/test.log" || true
grep -Ex '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$logs/test.log" | tail -1 | grep . || { status=1 && echo "no closing line"; }
exit $status
