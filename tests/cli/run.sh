#!/usr/bin/env bash
# run.sh BIN_DIR CASE_DIR [NAME]...: runs each CASE_DIR/*.sh, or those named, in an empty scratch directory. PATH begins with
# BIN_DIR, then the programs of tests next to it (gsort-faults). A case passes if its exit code is in NAME.exit (default 0) and
# its output in NAME.stdout and NAME.stderr (default nothing). A line of these may be a shell pattern. No case may leave a
# temporary file of gsort. UPDATE=1 rewrites the expected files, except lines whose pattern matches: review the diff.
#
# If this machine lacks something that a case needs, the skip is printed and counted (tests/count.py). At its beginning:
#     need COMMAND...         else the case is skipped
#     need_root; need_mounts  the latter: `unshare -rm`, and in there a tmpfs may be mounted
#     skip REASON
# and for a part of it, which the case then leaves out:
#     skip_part PART REASON
#     numpy=$(numpy_python) || skip_part PART "no NumPy"     a Python that has it
# Prints a line for each skip and failure, and how many cases passed, failed, were skipped. Exit status 1: some failed;
# 77: all were skipped.
#
# A case may say `sized WHOLE SMALL`: the second one with GS_TEST_SMALL=1, which CMake sets where programs take many
# times as long (sanitizers, coverage). A part of the lengths, types and combinations then; the release build does all.
# `third WORD...` prints a third of the words in CI.
# There GS_TEST_THIRD=1, 2 or 3 runs that third of the cases; tools/test.sh takes another one each day.
set -u
bin=$(cd "$1" && pwd)
cases=$(cd "$2" && pwd)
area=$(basename "$cases")
passed=0 failed=0 skipped=0
seed=${GS_TEST_SEED:-1} # of the cases that are drawn at random
# Where `python3` is a script that looks for Python (pyenv), what it finds, at once.
python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null)

sized() {
    [ "${GS_TEST_SMALL:-}" = 1 ] && echo "$2" || echo "$1"
}

third() { # WORD...: in CI a third of them, another one each day
    local words=("$@") i
    for ((i = ${GS_TEST_THIRD:-1} - 1; i < $#; i += ${GS_TEST_THIRD:+2} + 1)); do echo "${words[i]}"; done
}

skip() { # on the standard output that the case began with, wherever that is now
    echo "$1" >"$SKIPPED"
    exit 77
}
need() {
    local command
    for command; do command -v "$command" >/dev/null || skip "no $command"; done
}
need_root() {
    [ "$(id -u)" -eq 0 ] || skip "no root"
}
need_mounts() {
    unshare -rm mount -t tmpfs none . 2>/dev/null || skip "no unshare"
}
skip_part() {
    echo "$1: $2" >>"$SKIPPED_PARTS"
}
# Only the standard library: additions of a machine to the start of every Python take longer than most cases.
python3() {
    command python3 -S "$@"
}
numpy_python() {
    local python
    for python in "$(type -P python3)" /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null && echo "$python" && return
    done
    return 1
}
export -f sized third skip need need_root need_mounts skip_part python3 numpy_python

# matches FILE EXPECTED: line by line, expected lines are patterns.
matches() {
    [ -e "$2" ] || { [ ! -s "$1" ]; return; }
    lines_match 3<"$1" 4<"$2" # not by exec: the next case would have fewer descriptors
}
lines_match() {
    local got want
    while IFS= read -r want <&4; do
        IFS= read -r got <&3 || return 1
        # shellcheck disable=SC2053
        [[ $got == $want ]] || return 1
    done
    ! IFS= read -r got <&3
}

# expected FILE OLD: FILE's lines as patterns. Those that a pattern of OLD matches keep it.
expected() {
    local got want old=() at=0 i
    [ ! -e "$2" ] || mapfile -t old <"$2"
    while IFS= read -r got; do
        want=${got//[\[*\\]/?}
        for ((i = at; i < ${#old[@]}; i++)); do
            # shellcheck disable=SC2053
            [[ $got == ${old[i]} ]] && want=${old[i]} at=$((i + 1)) && break
        done
        printf '%s\n' "$want"
    done <"$1"
}

report() {
    echo "FAILED $area/$name: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    ! $is_good || echo "repeat: GS_TEST_SEED=$seed ${GS_TEST_SMALL:+GS_TEST_SMALL=$GS_TEST_SMALL }$0 $bin $cases $name"
    is_good=false
}

names=("${@:3}")
scripts=("$cases"/*.sh)
if [ ${#names[@]} -gt 0 ]; then
    scripts=("${names[@]/#/$cases/}")
    scripts=("${scripts[@]/%/.sh}")
fi
if [ "${GS_TEST_SMALL:-}" = 1 ] && [ -n "${GS_TEST_THIRD:-}" ]; then
    chosen=()
    for ((i = GS_TEST_THIRD - 1; i < ${#scripts[@]}; i += 3)); do chosen+=("${scripts[i]}"); done
    scripts=("${chosen[@]:-${scripts[0]}}")
fi
for script in "${scripts[@]}"; do
    name=$(basename "$script" .sh)
    scratch=$(mktemp -d)
    is_good=true
    mkdir "$scratch/work"
    (cd "$scratch/work" && TMPDIR=$scratch/work CASES=$cases PATH=$bin:$bin/../tests:${python:+$python:}$PATH LC_ALL=C \
        SKIPPED=$scratch/skipped SKIPPED_PARTS=$scratch/skipped_parts GS_TEST_SEED=$seed \
        bash -eu "$script" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
    code=$?
    # The leak sanitizer finds a thread of the kernel (io_uring's workers are in the process's list) that ends as it looks.
    sed -i '/^==[0-9]*==Unable to get registers from thread [0-9]*\.$/d' "$scratch/stderr"
    if [ $code -eq 77 ] && [ -s "$scratch/skipped" ]; then
        echo "skipped $area/$name: $(cat "$scratch/skipped")"
        skipped=$((skipped + 1))
    else
        if [ "${UPDATE:-}" = 1 ]; then
            for stream in stdout stderr; do
                expected "$scratch/$stream" "$cases/$name.$stream" >"$scratch/expected"
                rm -f "$cases/$name.$stream"
                [ ! -s "$scratch/expected" ] || cp "$scratch/expected" "$cases/$name.$stream"
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
        $is_good && passed=$((passed + 1)) || failed=$((failed + 1))
        while IFS= read -r line; do
            echo "skipped $area/$name, $line"
            skipped=$((skipped + 1))
        done < <([ ! -e "$scratch/skipped_parts" ] || sort -u "$scratch/skipped_parts")
    fi
    chmod -R u+w "$scratch" 2>/dev/null
    rm -rf "$scratch"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] || exit 1
[ $passed -gt 0 ] || exit 77
