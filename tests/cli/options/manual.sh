# The manual has an entry for every option of --help, in the same order under the same headings, with the same name for its
# argument; and no other.
gsort --help | awk '
    /^[A-Z][a-z ]*$/ { group = $0 }
    /^  (-., |    )--/ { sub(/^ +/, ""); sub(/  .*/, ""); print group ": " $0 }' >in_help
awk '
    /^## / { is_here = $0 == "## Options" }
    is_here && /^### / { group = substr($0, 5) }
    is_here && /^\| `/ { sub(/^\| /, ""); sub(/ \|.*/, ""); gsub(/`/, ""); print group ": " $0 }' \
    "$CASES/../../../tools/gsort/MANUAL.md" >in_manual
[ "$(wc -l <in_help)" -ge 40 ] || echo "no options in --help"
diff in_help in_manual
# Its table of types has every name that they have, and no other.
sed -nE 's/^    \{"([^"]+)", "([^"]+)", .*/\2 \1/p' "$CASES/../../../src/element/type_names.c" | awk '$1 != $2' | sort >in_table
awk '/^\| type \| also called/ { is_here = 1 } !/^\|/ { is_here = 0 }
    is_here && /`/ { gsub(/[`|]/, ""); for (i = 2; i <= NF; i++) print $1, $i }' \
    "$CASES/../../../tools/gsort/MANUAL.md" | sort >in_manual
[ "$(wc -l <in_table)" -ge 20 ] || echo "no names of types"
diff in_table in_manual
