#!/bin/bash
# Builds programs with an installed libgsort, found by pkg-config and by find_package, shared and static, in C and C++. It also
# checks what gsort.hpp refuses to compile. Last it builds gsort and gsort-gen themselves, which need only gsort.h and
# libgsort.so.
#
#     tests/consumer/consumers.sh BUILD_DIR CMAKE CC CXX
#
# Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1.
set -u
# shellcheck source=tests/support/installed.sh
. "$(dirname "$0")/../support/installed.sh"
cc=$3 cxx=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
# run NAME: a program in a directory of its own.
run() {
    mkdir -p "$scratch/run/$1"
    (cd "$scratch/run/$1" && "$scratch/$1") >"$scratch/said" 2>&1 || fail "$1: $(cat "$scratch/said")"
}
# needs NAME: returns whether a program loads libgsort.so.0.
needs() {
    readelf -d "$scratch/$1" | grep -q 'NEEDED.*\[libgsort\.so\.0\]'
}

# The tree is moved after it is installed, and nothing points to where it was.
install_to "$scratch/first"
mv "$scratch/first" "$scratch/shared"
cp -a "$scratch/shared" "$scratch/static"
lib=$(cd "$scratch/shared" && dirname "$(find lib* -name libgsort.a)")
rm "$scratch/static/$lib"/libgsort.so*
export LD_LIBRARY_PATH=$scratch/shared/$lib

flags=(-Wall -Wextra -Wpedantic -Werror -O1)
# Both trees have the same headers, and templates take long to compile. So programs are compiled once and linked twice.
hpp=("$cxx" -std=c++20 -Wshadow -Wconversion -pthread)
# shellcheck disable=SC2046
"${hpp[@]}" "${flags[@]}" $(PKG_CONFIG_PATH=$scratch/shared/$lib/pkgconfig pkg-config --cflags gsort) -c "$source/tests/consumer/test_hpp.cc" \
    -o "$scratch/test_hpp.o" 2>"$scratch/log" || fail "test_hpp: $(cat "$scratch/log")"
for kind in shared static; do
    for language in c cc hpp; do
        name=pkg_${kind}_$language
        case $language in
        c) compiler=("$cc" -std=c17) file=$source/tests/consumer/consumer.c ;;
        cc) compiler=("$cxx" -std=c++17) file=$source/tests/consumer/consumer.cc ;;
        hpp) compiler=("${hpp[@]}") file=$scratch/test_hpp.o ;;
        esac
        found=$(PKG_CONFIG_PATH=$scratch/$kind/$lib/pkgconfig pkg-config $([ $kind = shared ] || echo --static) --cflags --libs gsort) ||
            fail "$name: pkg-config"
        # The result is words for the compiler. shellcheck disable=SC2086
        "${compiler[@]}" "${flags[@]}" "$file" $found -o "$scratch/$name" 2>"$scratch/log" ||
            fail "$name: $(cat "$scratch/log")"
        run "$name"
    done
done
# A program that has the run path needs no LD_LIBRARY_PATH.
found="$(PKG_CONFIG_PATH=$scratch/shared/$lib/pkgconfig pkg-config --cflags --libs gsort) -Wl,-rpath,$(
    PKG_CONFIG_PATH=$scratch/shared/$lib/pkgconfig pkg-config --variable=libdir gsort)"
# shellcheck disable=SC2086
"$cc" -std=c17 "$source/tests/consumer/consumer.c" $found -o "$scratch/with_run_path" 2>"$scratch/log" || fail "with_run_path: $(cat "$scratch/log")"
(unset LD_LIBRARY_PATH && run with_run_path && exit "$broken") || broken=1
[ "$(PKG_CONFIG_PATH=$scratch/shared/$lib/pkgconfig pkg-config --modversion gsort)" = "$("$build/bin/gsort" -V | sed -n 's/^gsort //p')" ] ||
    fail "pkg-config: another version"

for of in ON OFF; do
    "$cmake" -S "$source/tests/consumer" -B "$scratch/cmake_$of" -DWITH_CXX=$of -DCMAKE_PREFIX_PATH="$scratch/shared" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" >"$scratch/log" 2>&1 && "$cmake" --build "$scratch/cmake_$of" >>"$scratch/log" 2>&1 ||
        fail "find_package, C++ $of: $(cat "$scratch/log")"
done
for name in shared_c static_c; do
    mv "$scratch/cmake_OFF/$name" "$scratch/alone_$name" && run alone_$name
done
for name in {shared,static}_{c,cc,sequence}; do
    mv "$scratch/cmake_ON/$name" "$scratch/$name" && run $name
done
for name in pkg_shared_hpp shared_sequence {,pkg_}shared_{c,cc} alone_shared_c; do needs $name || fail "$name: does not need libgsort.so.0"; done
for name in pkg_static_hpp static_sequence {,pkg_}static_{c,cc} alone_static_c; do needs $name && fail "$name: needs libgsort.so.0"; done

# gsort.hpp: also compiled by clang, if there is one, and without exceptions; the example in its header; what must not compile.
include=$scratch/shared/include
compilers=("$cxx")
command -v clang++ >/dev/null && compilers+=(clang++)
{
    printf '#include <gsort.hpp>\n#include <cstdio>\nint main()\n{\n'
    sed -n '/^ \*     struct Edge/,/printf/s/^ \*//p' "$include/gsort.hpp"
    printf '}\n'
} >"$scratch/example.cc"
cat >"$scratch/bare.cc" <<'END_CODE'
#include <gsort.hpp>
struct Edge { int from, to; };
int main()
{
    gs_error failure;
    gsort::sorter<Edge, &Edge::to> sorter({}, failure);
    const Edge edges[] = {{1, 2}, {2, 1}};
    std::span<const Edge> block;
    return sorter.push(edges, failure) != GS_OK || sorter.finish(failure) != GS_OK || sorter.pull(block, failure) != GS_OK ||
           block[0].to != 1;
}
END_CODE
for compiler in "${compilers[@]}"; do
    strict=("$compiler" -std=c++20 "${flags[@]}" -Wshadow -Wconversion "-I$include")
    [ "$compiler" = "$cxx" ] ||
        "${strict[@]}" -fsyntax-only "$source/tests/consumer"/test_{hpp,sequence}.cc 2>"$scratch/log" || fail "$compiler: $(cat "$scratch/log")"
    "${strict[@]}" "$scratch/example.cc" "-L$scratch/shared/$lib" -lgsort -o "$scratch/example" 2>"$scratch/log" || fail "$compiler, the example: $(cat "$scratch/log")"
    [ "$("$scratch/example" | wc -l)" = 1000 ] || fail "$compiler, the example: prints something else"
    "${strict[@]}" -fno-exceptions "$scratch/bare.cc" "-L$scratch/shared/$lib" -lgsort -o "$scratch/bare" 2>"$scratch/log" && "$scratch/bare" ||
        fail "$compiler, without exceptions: $(cat "$scratch/log")"
done
for compiler in "${compilers[@]}"; do
    for standard in 11 17; do
        printf '#include <gsort.hpp>\nint main() {}\n' | "$compiler" -std=c++$standard "-I$include" -x c++ -fsyntax-only - 2>"$scratch/log" &&
            fail "$compiler: gsort.hpp compiles as C++$standard"
        [ "$(grep 'error:' "$scratch/log" | grep -vc 'needs C++20')" = 0 ] || fail "$compiler, C++$standard: $(cat "$scratch/log")"
    done
done
# Each is compiled alone; the header is compiled once.
strict=("$cxx" -std=c++20 "${flags[@]}" "-I$include")
"${strict[@]}" -x c++-header "$include/gsort.hpp" -o "$include/gsort.hpp.gch" 2>"$scratch/log" || fail "gsort.hpp: $(cat "$scratch/log")"
while IFS='|' read -r words code; do
    [[ $code == *template* ]] || code="int main() { $code }"
    printf '#include <gsort.hpp>\n%s\n' "$code" >"$scratch/refused.cc"
    "${strict[@]}" -fsyntax-only "$scratch/refused.cc" 2>"$scratch/log" && fail "compiles: $code"
    grep -qF -- "${words% }" "$scratch/log" || fail "$code: no '${words% }' in $(grep -m 3 error: "$scratch/log")"
done < <(grep -v '^#' "$source/tests/consumer/refused.txt")

# The programs, from outside.
mkdir "$scratch/tools"
cp -r "$source/tools/common" "$source/tools/gsort" "$source/tools/gsort-gen" "$scratch/tools"
"$cmake" -D "SOURCE=$source/src/option/options.md" -D "HEADER=$scratch/option_words.h" -D "TOPICS=$scratch/tools/gsort/help_topics.c" \
    -P "$source/src/option/options.cmake" >"$scratch/log" 2>&1 || fail "options.cmake: $(cat "$scratch/log")"
found=$(PKG_CONFIG_PATH=$scratch/shared/$lib/pkgconfig pkg-config --cflags --libs gsort)
for program in gsort gsort-gen; do
    # shellcheck disable=SC2086
    "$cc" -std=c17 -D_GNU_SOURCE -O1 -ffp-contract=off -I"$scratch/tools" $(find "$scratch/tools/$program" "$scratch/tools/common" -name "*.c") $found \
        -pthread -lzstd -ljansson -lm -o "$scratch/$program" 2>"$scratch/log" || fail "$program: $(cat "$scratch/log")"
    needs $program || fail "$program: does not need libgsort.so.0"
done
cd "$scratch" && ./gsort-gen -d uniform -n 1000 -o x.u64 && ./gsort x.u64 -o y.u64 && ./gsort -c y.u64 || fail "gsort: does not sort"
exit "$broken"
