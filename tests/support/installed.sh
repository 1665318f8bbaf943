# installed.sh: helps tests that install a build; sourced, with BUILD_DIR and CMAKE as $1 and $2. Sets $scratch, which is removed
# at the end, and $broken, the exit status. Defines fail, install_to and uninstall. The record of files that a user has installed
# from this build is kept.
# shellcheck shell=bash
build=$1 cmake=$2
scratch=$(mktemp -d)
broken=0
records=(install_manifest.txt install_directories.txt)
for record in "${records[@]}"; do
    [ ! -e "$build/$record" ] || mv "$build/$record" "$scratch/$record"
done
finish() {
    for record in "${records[@]}"; do
        rm -f "$build/$record"
        [ ! -e "$scratch/$record" ] || mv "$scratch/$record" "$build/$record"
    done
    rm -rf --one-file-system "$scratch"
}
trap finish EXIT
fail() {
    echo "$(basename "$0"): $*"
    broken=1
}
install_to() { # PREFIX
    "$cmake" --install "$build" --prefix "$1" >"$scratch/log" 2>&1 || fail "install to $1: $(cat "$scratch/log")"
}
uninstall() {
    "$cmake" --build "$build" --target uninstall >"$scratch/log" 2>&1
}
