#!/usr/bin/env bash
# lint.sh: checks sources without running them. It checks the order of folders, the Python package, the shape of comments and functions, and scripts of tests
# for checks that cannot fail. It checks that planted faults have a place (dev/mutate), English (dev/prose) and formatting, and runs clippy, cppcheck
# and clang-tidy over src, tools and tests/support. Any finding fails. A false finding is silenced where it is, with the reason.
#   tools/dev/lint.sh             seconds; part of tools/test.sh
#   tools/dev/lint.sh --analyze   clang's static analyzer in clang-tidy, too: minutes; its paths end at a function's border,
#                             so what callers promise looks like a finding: read, do not trust
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/lint
mapfile -t sources < <(find src tools -name dev -prune -o -name '*.c' -print -o -name '*.cc' -print | sort)
mapfile -t c_sources < <(printf '%s\n' "${sources[@]}" | grep '\.c$')

tools/dev/check_layers
tools/dev/check_python
tools/dev/check_shape.sh
tools/dev/check_scripts
tools/dev/mutate --check
tools/dev/prose

# clippy links no library, so any folder is its place.
if cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then
    (cd tools/rust && cargo fmt --all --check && GSORT_LIB_DIR=. CARGO_TARGET_DIR=../../$build/rust \
        cargo clippy --quiet --offline --locked --workspace --all-targets -- -D warnings)
else
    echo "lint.sh: leaves out rustfmt and clippy, which are not installed"
fi

# The findings of these three programs depend on their version. The versions of Debian 12 decide.
is_ours() { # PROGRAM VERSION
    local told
    told=$("$1" --version)
    [[ $told =~ [0-9][0-9.]* && ${BASH_REMATCH[0]} == "$2"* ]] ||
        { echo "lint.sh: leaves out $1 ${BASH_REMATCH[0]}: version $2 is what the sources are held to" && false; }
}
! is_ours clang-format 14 ||
    find src kernels tools tests -regex '.*\.\(c\|cc\|cu\|h\|cuh\)' -print0 | xargs -0 clang-format --dry-run -Werror

# Right shifts of signed numbers are arithmetic in every compiler there is a Highway for.
cppcheck_options=(--quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --template=gcc
    -j "$(nproc)" -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -U__CUDACC__ -Isrc -Itools -Itests
    --suppress=missingIncludeSystem --suppress=shiftTooManyBitsSigned)
if is_ours cppcheck 2.10; then
    cppcheck "${cppcheck_options[@]}" --language=c --std=c17 -U__cplusplus "${c_sources[@]}" \
        tests/support/{calls,can_run,model,record_model,refuse,scratch,support,transfer}.h
    cppcheck "${cppcheck_options[@]}" --language=c++ --std=c++17 -D__cplusplus=201703L tests/support/{cuda_job,device_keys,device_test,ladder_arrays}.h
fi
is_ours clang-tidy 14 || exit 0

# Left out, for they contradict the style or are wrong here:
#   easily-swappable-parameters, narrowing-conversions (-Wconversion is on), misplaced-widening-cast (for printf)
#   branch-clone, macro-parentheses        lists of cases and tables are made by macros
#   sizeof-expression                      arrays of pointers
#   err33-c                                output to a terminal, (void)
#   mt-unsafe                              getenv and strerror, before threads start
#   reserved-identifier, dcl37, dcl51      _GNU_SOURCE
checks='-*,bugprone-*,cert-*,concurrency-*,performance-*,portability-*'
for check in bugprone-easily-swappable-parameters bugprone-narrowing-conversions bugprone-misplaced-widening-cast \
    bugprone-branch-clone bugprone-macro-parentheses bugprone-sizeof-expression cert-err33-c concurrency-mt-unsafe \
    bugprone-reserved-identifier cert-dcl37-c cert-dcl51-cpp; do
    checks+=",-$check"
done
[ "${1:-}" != --analyze ] || checks+=,clang-analyzer-*
cmake -S . -B $build -G Ninja -DGSORT_CUDA=OFF -DGSORT_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build $build --target gsort_option_words >/dev/null
for i in "${!sources[@]}"; do # without a toolkit, what is compiled with kernels only is not there
    grep -q "/${sources[i]}\"" $build/compile_commands.json ||
        { echo "lint.sh: clang-tidy leaves out ${sources[i]}, which is compiled with kernels only" && unset "sources[i]"; }
done
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 8 clang-tidy -p $build --quiet --warnings-as-errors='*' \
    --header-filter='/(src|tools)/' --checks="$checks" 2> >(grep -v 'warnings\? generated\|^$' >&2)
