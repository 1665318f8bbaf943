#!/usr/bin/env bash
# setup.sh: installs what gsort needs to build, from Debian's packages, if it is not there.
#   tools/dev/setup.sh [tests [PACKAGE]...]     what the tests need, too, and these
# Asks nothing. Without root it installs nothing and says what is missing. Used by demo.sh and test.sh.
set -euo pipefail

build_packages=(gcc g++ cmake ninja-build pkg-config liburing-dev libhwy-dev libxxhash-dev
    libzstd-dev zlib1g-dev)
test_packages=(libcmocka-dev python3 python3-numpy zstd locales clang-format clang-tidy cppcheck valgrind
    mandoc zsh fish)

wanted=("${build_packages[@]}")
[ "${1:-}" = tests ] && wanted+=("${test_packages[@]}" "${@:2}")

missing=()
for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing+=("$package")
done
# What is there by another name (a newer compiler, cmake or python) is good enough.
needed=()
for package in "${missing[@]}"; do
    case $package in
    gcc | g++ | cmake | python3 | clang-format | clang-tidy | cppcheck | valgrind | gcovr | zstd | mandoc | zsh | fish) command -v "$package" >/dev/null && continue ;;
    ninja-build) command -v ninja >/dev/null && continue ;;
    pkg-config) command -v pkg-config >/dev/null && continue ;;
    esac
    needed+=("$package")
done
missing=("${needed[@]}")
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "setup.sh: missing packages: ${missing[*]}" >&2
    echo "setup.sh: not root, so nothing is installed; run: sudo apt-get install ${missing[*]}" >&2
    exit 1
fi
echo "setup.sh: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
