#!/bin/sh
# Makes data sets of datasets.csv and checks them.
#
#     datasets/make.sh BIN_DIR TARGET_DIR PATTERN...
#     datasets/make.sh build/release/bin /data '*-1g.*'
#
# A set whose name matches a shell pattern is written to TARGET_DIR/name. A file that exists with the right checksum is kept. Exit
# status: 0 all sets exist, 1 a checksum differs, 2 usage, else the status of gsort-gen.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: $0 BIN_DIR TARGET_DIR PATTERN..." >&2
    exit 2
fi
bin=$1 target=$2
shift 2

matches() { # NAME PATTERN...
    name=$1
    shift
    for pattern; do
        # shellcheck disable=SC2254 # it is a pattern
        case $name in $pattern) return 0 ;; esac
    done
    return 1
}

is_right() { # FILE SHA256
    [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status
}

made=0
while IFS=, read -r name distribution type count seed sha256; do
    if [ "$name" = name ] || ! matches "$name" "$@"; then
        continue
    fi
    made=$((made + 1))
    file=$target/$name
    if is_right "$file" "$sha256"; then
        continue
    fi
    mkdir -p "$(dirname "$file")"
    "$bin/gsort-gen" --dist "$distribution" --type "$type" --count "$count" --seed "$seed" \
        -o "$file"
    if ! is_right "$file" "$sha256"; then
        echo "$0: '$file' has another checksum than datasets.csv" >&2
        exit 1
    fi
done <"$(dirname "$0")/datasets.csv"
if [ $made -eq 0 ]; then
    echo "$0: no data set of datasets.csv matches $*" >&2
    exit 2
fi
