# Refuses files whose numbers have different meanings, in every job: units of times, also in fields and in arrays of
# structures, and lengths of rows. Sorts files with one unit.
python3 - <<'P'
import os, sys
sys.path.insert(0, os.environ['CASES'])
import npy
def put(name, descr, width, shape='(2,), }'):
    open(name + '.npy', 'wb').write(npy.header(descr, 2).replace(b'(2,), }' + b' ' * 20, shape.ljust(27).encode()) + bytes(2 * width))
for unit in ('[s]', '[ms]', '[25s]', ''):
    put('M' + unit, "'<M8%s'" % unit, 8)
    put('m' + unit, "'<m8%s'" % unit, 8)
    put('field' + unit, "[('n', '<i4'), ('in', [('at', '<M8%s')])]" % unit, 12)
    put('array' + unit, "[('n', '<i4'), ('in', [('at', '<M8%s')], (1,))]" % unit, 12)
put('row', "'<f8'", 8)
for columns in 1, 2, 3:
    put('row%d' % columns, "'<f8'", 8 * columns, '(2, %d), }' % columns)
P
refused() { # NAME NAME OPTION...
    rm -f out
    code=0
    gsort "${@:3}" "$1.npy" "$2.npy" -o out 2>err || code=$?
    [ "$code $(wc -l <err)" = "2 1" ] || { echo "$*: exit $code" && cat err; }
    [ ! -e out ] || echo "$*: there is an output"
    grep -qF "'$2.npy': its elements are " err || cat err
}
for kind in M m field array; do
    key=
    [ $kind != array ] || key='-k n'
    for other in '[ms]' '[25s]' ''; do
        refused "$kind[s]" "$kind$other" $key
    done
    for way in -m --merge=union --merge=intersect --merge=semi; do
        refused "$kind[s]" "$kind[25s]" $key $way
    done
    gsort $key "$kind[25s].npy" "$kind[25s].npy" -o got
    tail -c 32 got | cmp - <(head -c 32 /dev/zero)
done
refused "M[s]" "m[s]"
refused "m[s]" "M[25s]" -u
for way in "" -m; do
    refused row2 row3 $way
    refused row row1 $way
    refused row1 row $way
done
cat err
gsort row3.npy row3.npy | tail -c +129 | cmp - <(head -c 96 /dev/zero)
# An array of one structure is bytes, and no key.
gsort "array[s].npy" -o out || echo "exit $?"
