#!/usr/bin/env bash
# check_shape.sh [FILE]...: finds damage that a formatter or a hasty edit does to a source, FILE or all. In comments it finds two
# rows of a table on one line, a ` fails GS_` tag after prose, and prose that ends in mid-line. It also finds diagrams
# whose lines were joined or broken like prose, lines of more than 100 columns, and functions of more than 70 lines.
set -euo pipefail
files=("$@")
if [ $# = 0 ]; then
    cd "$(dirname "$0")/../.."
    mapfile -t files < <(find src kernels tools tests -regex '.*\.\(c\|cc\|cu\|h\|cuh\)')
fi
status=0
LC_ALL=C awk '
BEGIN { tag = "^((in|out|owns|units|limit)  |fails |gsi?_|GSI?_|[a-z_0-9]+(, _?[a-z_0-9]+)*: )" }
/^ *(\*|\/\*|\/\/).*[^|] \| \| [^|]/ {
    print FILENAME ":" FNR ": two rows of a table on one line"
    found = 1
}
/^ *(\*|\/\*|\/\/) .*[^:] fails GS_E_/ && !/^ *(\*|\/\/) fails/ {
    print FILENAME ":" FNR ": the tag \"fails\" belongs on a line of its own"
    found = 1
}
# For a paragraph of a comment, remember its last line of prose, and whether it is a diagram. A diagram is indented from its first
# line on.
FNR == 1 || !/^ *(\*|\/\/)/ || /^ *(\*|\/\/) *$/ || /^ *\*\// {
    is_begun = is_diagram = 0
    prose = ""
}
/^ *(\*|\/\*|\/\/) *[^ ]/ && !/^ *\*\// {
    text = $0
    sub(/^ *(\*|\/\*|\/\/)/, "", text)
    match(text, /^ */)
    indent = RLENGTH
    text = substr(text, indent + 1)
    if (!is_begun)
        is_diagram = indent >= 4
    else if (is_diagram && indent <= 2) {
        print FILENAME ":" FNR ": a diagram goes on as prose; prose is a paragraph of its own"
        found = 1
        is_diagram = 0
    } else if (prose != "" && indent == 1 && text ~ /^[a-z]/ && text !~ tag && length(prose) < 60) {
        print FILENAME ":" FNR - 1 ": prose breaks off in the middle of a line"
        found = 1
    }
    is_begun = 1
    prose = indent == 1 && text !~ tag && $0 !~ /([.:;,?!)"\047]|\*\/)$/ ? $0 : ""
}
{
    line = $0
    gsub(/[\200-\277]/, "", line) # of a character of UTF-8 all bytes but the first
    if (length(line) > 100) {
        print FILENAME ":" FNR ": " length(line) " columns; 100 are the most"
        found = 1
    }
}
/^\{/ { begin = FNR }
/^\}/ {
    if (begin > 0 && FNR - begin > 71) {
        print FILENAME ":" begin ": a function of " FNR - begin - 1 " lines; 70 are the most"
        found = 1
    }
    begin = 0
}
END { exit found }' "${files[@]}" >&2 || status=1
exit $status
