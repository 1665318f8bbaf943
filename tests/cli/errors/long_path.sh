# A path of any length leaves room for what is wrong with it.
part=$(printf 'd%.0s' {1..250})
mkdir -p "$part/$part/$part/$part"
long=$part/$part/$part/$part
gsort "$long/missing" || echo "exit $?"
gsort /dev/null -o "$long" || echo "exit $?"
gsort /dev/null -o "$long/no/x" || echo "exit $?"
gsort /dev/null -o x --spill always -T "$long/no" || echo "exit $?"
gsort "$part$part" || echo "exit $?"
printf 1234567 >"$long/odd"
gsort "$long/odd" || echo "exit $?"
gsort --type "$part$part$part$part$part" /dev/null || echo "exit $?"
gsort --files0-from "$long/missing" || echo "exit $?"
gsort --resume "$long/no/kept" "$long/odd" -R 7 -o x || echo "exit $?"
