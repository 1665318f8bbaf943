# A resumed sort does not trust the output that a killed one wrote: it checks the 4096 bytes before a mark. It also
# does so if the last window is shorter than that, as here, with the mark at the output's end.
gsort-gen --dist uniform --type u64 --size 6M -o x

# marked OPTIONS..: kills a sort again and again until the journal has four marks and no DONE. Prints where the last mark is.
# A life that syncs too seldom may never get to a mark, and one that syncs too often ends, so several limits are tried.
marked() {
    for syncs in 9 8 7 10 12 16; do
        rm -rf dir out
        for _ in $(seq 40); do
            { GSORT_FAULTS=sync:$syncs=9 gsort-faults x -o out --resume dir -S 12M --chunk 512K --parallel 1 "$@" >report 2>&1 || :; } 2>kill
            [ ! -e out ] || break
            [ -e dir/manifest ] || continue
            python3 "$CASES/../manifest.py" dir/manifest >entries
            ! grep -q DONE entries || break
            [ "$(grep -c WRITTEN entries)" -ge 4 ] || continue
            sed -n 's/WRITTEN [0-9]* //p' entries | tail -n 1
            return
        done
    done
    echo "no sort has four marks" >&2
    return 1
}
for options in "-t u64" "-R 100 -k 0:b8"; do
    head -c 6291400 x >y
    mv y x
    # shellcheck disable=SC2086
    gsort x $options -o want
    # shellcheck disable=SC2086
    end=$(marked $options)
    mv dir marked
    for before in 0 1 100; do
        cp -a marked dir
        off=$((end / 4096 * 4096 - before - 8)) # in the file, not in the rest of a page that is on record
        [ $off -ge $((end - 4096)) ] || off=$((end - 4096))
        [ $off -gt 0 ] || echo "no mark"
        [ $before -eq 0 ] || python3 - $off <<'P'
import sys
with open('dir/output', 'r+b') as file:
    file.seek(int(sys.argv[1]))
    was = file.read(1)
    file.seek(-1, 1)
    file.write(bytes([was[0] ^ 1]))
P
        # shellcheck disable=SC2086
        gsort x -o out --resume dir -S 12M --chunk 512K --parallel 1 $options 2>&1 || echo "exit $?"
        [ ! -e out ] || { cmp out want; echo "goes on"; }
        rm -rf out dir
    done
    rm -rf marked
done
# The first key is that of the output's first element, which another life wrote.
gsort x -o want -t u64 --stats=json | grep -E '"(first|last)_key"' >keys
marked -t u64 >/dev/null
gsort x -o out --resume dir -S 12M --chunk 512K --parallel 1 -t u64 --stats=json | grep -E '"(first|last)_key"' | cmp - keys
cmp out want
