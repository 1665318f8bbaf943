# Every option that --help names is in the README's table, and the README names no other.
gsort --help | grep -oE -- '--[a-z][a-z-]+' | sort -u >in_help
sed -n '/^| option/,/^$/p' "$CASES/../../../README.md" | grep -oE -- '--[a-z][a-z-]+' | sort -u >in_readme
diff in_help in_readme
