#!/usr/bin/env bash
# run.sh BIN_DIR CASE_DIR: runs each CASE_DIR/*.sh in an empty scratch directory, with BIN_DIR first in PATH.
# A case passes if its exit code is that of NAME.exit (default 0) and its output is that of NAME.stdout and
# NAME.stderr (default nothing), where a line of these may be a shell pattern. Whatever the case, no
# temporary file of gsort may be left. Exit code 77 skips the case; its stdout says why.
# Silent when green. UPDATE=1 rewrites the expected files: review the diff.
#
# A case may say `sized WHOLE SMALL`: the second one with GS_TEST_SMALL=1, which CMake sets where programs take many
# times as long (sanitizers, coverage). A part of the lengths, types and combinations then; the release build does all.
set -u
bin=$(cd "$1" && pwd)
cases=$(cd "$2" && pwd)
failed=0 ran=0

sized() {
    [ "${GS_TEST_SMALL:-}" = 1 ] && echo "$2" || echo "$1"
}
export -f sized

# matches FILE EXPECTED: line by line, expected lines are patterns.
matches() {
    [ -e "$2" ] || { [ ! -s "$1" ]; return; }
    local got want
    exec 3<"$1" 4<"$2"
    while IFS= read -r want <&4; do
        IFS= read -r got <&3 || return 1
        # shellcheck disable=SC2053
        [[ $got == $want ]] || return 1
    done
    ! IFS= read -r got <&3
}

report() {
    echo "FAILED $(basename "$cases")/$name: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    failed=$((failed + 1))
}

for script in "$cases"/*.sh; do
    name=$(basename "$script" .sh)
    scratch=$(mktemp -d)
    mkdir "$scratch/work"
    (cd "$scratch/work" && TMPDIR=$scratch/work CASES=$cases PATH=$bin:$PATH LC_ALL=C \
        bash -eu "$script" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
    code=$?
    # The leak sanitizer finds a thread of the kernel (io_uring's workers are in the process's list) that ends as it looks.
    sed -i '/^==[0-9]*==Unable to get registers from thread [0-9]*\.$/d' "$scratch/stderr"
    if [ $code -eq 77 ]; then
        echo "skipped $(basename "$cases")/$name: $(cat "$scratch/stdout")"
    else
        ran=$((ran + 1))
        if [ "${UPDATE:-}" = 1 ]; then
            for stream in stdout stderr; do
                rm -f "$cases/$name.$stream"
                [ ! -s "$scratch/$stream" ] || cp "$scratch/$stream" "$cases/$name.$stream"
            done
            rm -f "$cases/$name.exit"
            [ $code -eq 0 ] || echo $code >"$cases/$name.exit"
        fi
        want=0
        [ ! -e "$cases/$name.exit" ] || want=$(cat "$cases/$name.exit")
        [ $code -eq "$want" ] || report "exit $code, not $want; stderr:" "$scratch/stderr"
        for stream in stdout stderr; do
            matches "$scratch/$stream" "$cases/$name.$stream" ||
                report "$stream is not as expected, but:" "$scratch/$stream"
        done
        left=$(find "$scratch" -name '.*gsort*')
        [ -z "$left" ] || report "left behind: $left"
    fi
    chmod -R u+w "$scratch" 2>/dev/null
    rm -rf "$scratch"
done
[ $failed -eq 0 ] || exit 1
[ $ran -gt 0 ] || exit 77
