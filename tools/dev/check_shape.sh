#!/usr/bin/env bash
# check_shape.sh: what a formatter or a hurry can do to a source: a row of a table that follows another one, or a ` fails GS_` tag
# that follows prose, on one line of a comment; functions of more than 60 lines.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t files < <(find src kernels tools tests -regex '.*\.\(c\|cc\|cu\|h\|cuh\)')
status=0
awk '
/^ *(\*|\/\*|\/\/).*[^|] \| \| [^|]/ {
    print FILENAME ":" FNR ": two rows of a table on one line"
    found = 1
}
/^ *(\*|\/\*|\/\/) .*[^:] fails GS_E_/ && !/^ *(\*|\/\/) fails/ {
    print FILENAME ":" FNR ": the tag \"fails\" belongs on a line of its own"
    found = 1
}
/^\{/ { begin = FNR }
/^\}/ {
    if (begin > 0 && FNR - begin > 61) {
        print FILENAME ":" begin ": a function of " FNR - begin - 1 " lines; 60 are the most"
        found = 1
    }
    begin = 0
}
END { exit found }' "${files[@]}" >&2 || status=1
exit $status
