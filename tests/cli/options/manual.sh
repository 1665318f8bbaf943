# The manual's list of options is what the table of options says: `gsort --help=markdown` makes it anew.
gsort --help=markdown >in_table
awk '/^## / { is_here = $0 == "## Options" }
    is_here && /^### / { is_list = 1 }
    is_here && is_list' "$CASES/../../../tools/gsort/MANUAL.md" | sed '$ { /^$/d }' >in_manual
[ "$(grep -c '^| `' in_table)" -ge 40 ] || echo "no options"
diff in_table in_manual
# Its table of types has every name that they have, and no other.
{
    sed -nE 's/^    \{"([^"]+)", "([^"]+)", .*/\2 \1/p' "$CASES/../../../src/element/number_type.c"
    grep -oE '(BYTE|NUMPY|ALSO)\("[^)]*\)' "$CASES/../../../src/element/number_rows.h" | tr -d '",)' | tr '(' ' ' |
        awk '$1 == "ALSO" { print $2, $3 }
            $1 == "NUMPY" { print $2, "<" $3; print $2 "be", ">" $3 }
            $1 == "BYTE" { print $2, $2 "be" }'
} | sort >in_table
awk '/^\| type \| also called/ { is_here = 1 } !/^\|/ { is_here = 0 }
    is_here && /`/ { gsub(/[`|]/, ""); for (i = 2; i <= NF; i++) print $1, $i }' \
    "$CASES/../../../tools/gsort/manual/formats.md" | sort >in_manual
[ "$(wc -l <in_table)" -ge 20 ] || echo "no names of types"
diff in_table in_manual
