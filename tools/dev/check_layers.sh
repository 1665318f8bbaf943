#!/usr/bin/env bash
# check_layers.sh: a folder of src includes only itself and the folders before it in this list; only
# gsort.h is included from everywhere, and by nothing but names below src.
set -euo pipefail
cd "$(dirname "$0")/../../src"
layers=(base format io run device plan sort report)
status=0
allowed=""
for layer in "${layers[@]}"; do
    allowed="$allowed|$layer"
    while IFS=: read -r file line include; do
        echo "src/$file:$line: $layer must not include $include" >&2
        status=1
    done < <(grep -nHoE '^#include "[a-z_]+/[^"]+"' "$layer"/*.[ch]* |
        grep -vE "#include \"(${allowed#|})/" || true)
done
exit $status
