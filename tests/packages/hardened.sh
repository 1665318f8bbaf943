#!/bin/bash
# hardened.sh FILE...: checks that these programs and shared libraries have what src/harden.cmake asks for.
#
# Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1.
set -u
broken=0
fail() {
    echo "hardened.sh: $*"
    broken=1
}
for file in "$@"; do
    head=$(readelf -hldW "$file")
    has() { # WHAT PATTERN: in what readelf says
        grep -qE "$2" <<<"$head" || fail "$file: $1"
    }
    has "no place of its own choice" 'Type: +DYN'
    has "tables stay writable (relro)" GNU_RELRO
    has "tables stay writable (now)" '\(FLAGS_1\).* NOW'
    has "its stack can be run" 'GNU_STACK.* RW  '
    case $(basename "$file") in
    gsort*) has "no PIE" '\(FLAGS_1\).* PIE' ;;
    *arrow*) continue ;; # calls nothing that is checked
    esac
    symbols=$(nm -D --undefined-only "$file" | sed 's/.* //; s/@.*//')
    grep -qx __stack_chk_fail <<<"$symbols" || fail "$file: no canaries"
    checked=$(grep -xE '__.*(_chk|_2)' <<<"$symbols")
    grep -q printf <<<"$checked" || fail "$file: the C library does not check"
    # Tests that make calls fail replace plain calls and the checked calls in tests/support/unchecked.c, but no others.
    missed=$(grep -vxE '__(mem.*|str.*|v?[fs]?n?printf|asprintf)_chk|__open64_2' <<<"$checked" | xargs)
    [ -z "$missed" ] || fail "$file: tests cannot make these fail: $missed"
    if grep -q 'Machine: .*X86-64' <<<"$head"; then
        code=$(objdump -d --no-show-raw-insn "$file")
        grep -q 'or[lq]  *[$]0x0,.*(%rsp)' <<<"$code" || fail "$file: stacks can jump over their guard page"
        [ "$(grep -c endbr64 <<<"$code")" -gt 100 ] || fail "$file: jumps land anywhere"
    fi
done
exit "$broken"
