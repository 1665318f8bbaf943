#!/usr/bin/env bash
# setup.sh: installs what gsort needs to build, from Debian's packages, if it is not there.
#   tools/dev/setup.sh aarch64                  what the preset aarch64 needs on a Debian of another processor
#   tools/dev/setup.sh [tests [PACKAGE]...]     what the tests need, too, and these; and, into build/python, what tests
#                                               of the Python package need from PyPI (tests/python/requirements.txt)
# Asks nothing. Without root it installs no package of Debian's and says what is missing. Used by demo.sh and test.sh.
set -euo pipefail

build_packages=(gcc g++ cmake ninja-build pkg-config liburing-dev libhwy-dev libxxhash-dev
    libzstd-dev zlib1g-dev libjansson-dev)
test_packages=(libcmocka-dev python3 python3-numpy python3-venv zstd locales clang-format clang-tidy cppcheck valgrind
    mandoc zsh fish dpkg-dev lintian musl-tools ruby python3-yaml cargo)

cross_packages=(g++-aarch64-linux-gnu qemu-user-static {liburing-dev,libhwy-dev,libxxhash-dev,libzstd-dev,zlib1g-dev,libjansson-dev,libcmocka-dev}:arm64)

wanted=("${build_packages[@]}")
[ "${1:-}" = aarch64 ] && wanted=("${cross_packages[@]}")
[ "${1:-}" = tests ] && wanted+=("${test_packages[@]}" "${@:2}")

missing=()
for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing+=("$package")
done
# A program with another name (a newer compiler, cmake or python) suffices.
needed=()
for package in "${missing[@]}"; do
    case $package in
    gcc | g++ | cmake | python3 | clang-format | clang-tidy | cppcheck | valgrind | gcovr | zstd | mandoc | zsh | fish | ruby | cargo) command -v "$package" >/dev/null && continue ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null && continue ;;
    python3-yaml) python3 -c 'import yaml' 2>/dev/null && continue ;;
    ninja-build) command -v ninja >/dev/null && continue ;;
    pkg-config) command -v pkg-config >/dev/null && continue ;;
    esac
    needed+=("$package")
done
missing=("${needed[@]}")
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "setup.sh: missing packages: ${missing[*]}" >&2
        echo "setup.sh: not root, so nothing is installed; run: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "setup.sh: installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    [ "${1:-}" != aarch64 ] || dpkg --add-architecture arm64
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# is_complete is a copy of the list that was installed.
python_dir=$(dirname "$0")/../../build/python
wanted_python=$(dirname "$0")/../../tests/python/requirements.txt
if [ "${1:-}" = tests ] && ! cmp -s "$wanted_python" "$python_dir/is_complete"; then
    echo "setup.sh: installing from PyPI into build/python: $(grep -o '^[a-z-]*' "$wanted_python" | tr '\n' ' ')"
    if python3 -m venv --clear "$python_dir" &&
        "$python_dir/bin/python3" -m pip install --quiet --disable-pip-version-check -r "$wanted_python"; then
        cp "$wanted_python" "$python_dir/is_complete"
    else
        echo "setup.sh: they cannot be had; tests of the Python package are skipped" >&2
    fi
fi
