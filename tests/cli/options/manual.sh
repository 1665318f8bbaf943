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
