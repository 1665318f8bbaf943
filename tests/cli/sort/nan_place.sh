# --nan: NaNs come last, or first, whatever the direction: of a sort, a merge, a check, --find, --top, --split-at, and of keys
# that are numbers or times. A table of all, by what they are: a letter each, n for a NaN.
python3 - <<'P'
import struct
inf, nan = float('inf'), float('nan')
numbers = [nan, 1.5, -inf, -nan, 0.0, inf, -2.5, nan]
nat = -2**63
open('x.f64', 'wb').write(struct.pack('<8d', *numbers))
open('x.f32', 'wb').write(struct.pack('<8f', *numbers))
open('x.f16', 'wb').write(struct.pack('<8e', *numbers))
open('x.rec', 'wb').write(b''.join(struct.pack('>IdqH', i % 2, x, nat if i % 3 == 0 else i, i) for i, x in enumerate(numbers)))
P
shown() { gsort --head=99 -q "$@" | sed 's/-nan/nan/' | paste -sd ' '; }
for type in f64 f32 f16; do
    for way in "" "-r" "--nan=last" "-r --nan=last" "--nan=first" "-r --nan=first"; do
        echo "$type $way: $(gsort -q $way x.$type -o y.$type && shown y.$type)"
        gsort -q -c $way y.$type || echo "check fails: $way"
        head -c $(($(stat -c %s x.$type) / 2)) x.$type >a.$type
        tail -c $(($(stat -c %s x.$type) / 2)) x.$type >b.$type
        gsort -q $way a.$type -o a.$type
        gsort -q $way b.$type -o b.$type
        gsort -q -m $way a.$type b.$type | cmp - y.$type
        gsort -q -S 16M --spill=always $way x.$type | cmp - y.$type
        echo "  find $(for value in nan -2.5..1.5 0.. ..0; do gsort -q $way --find=$value y.$type; done | paste -sd ' ')"
        echo "  top $(gsort -q --top=3 $way x.$type -o top.$type && shown top.$type)"
    done
done
gsort -q -r --nan=last x.f64 --split-at=1.5,0 -o s%d.f64
for i in 1 2 3; do echo "split $i: $(shown s$i.f64)"; done
# Keys, each in its own direction; a record shows its number and its place.
for keys in "-k 4:f64be" "-k 4:f64be:desc" "-k 0:u32be -k 4:f64be:desc" "-k 12:time64be:desc" "-k 12:time64be"; do
    echo "$keys: $(gsort -q -R 22 $keys --nan=last x.rec -o y.rec && shown -R 22 -k 20:u16be y.rec)"
    gsort -q -R 22 $keys --nan=last -c y.rec
    gsort -q -R 22 $keys --nan=last --argsort x.rec | od -An -v -tu8 -w64 | tr -s ' '
done
# What comes in order from a file of another order does not pass as such.
gsort -q -r x.f64 -o y.f64
gsort -c -r --nan=last y.f64 -t f64 2>&1 | sed 's/nan.*//'
# --top tells of NaNs that it wrote, unless they were asked for, or are not there.
gsort -r --top=2 x.f64 -o top.f64
gsort -r --top=4 --where='!=nan' x.f64 -o top.f64
gsort -r --top=4 --nan=first x.f64 -o top.f64
gsort --top=8 x.f64 -o top.f64
gsort -R 22 -k 4:f64be:desc --top=2 x.rec -o top.rec
gsort -R 22 -k 12:time64be --reverse --top=2 x.rec -o top.rec
gsort -q -r --top=2 x.f64 -o top.f64
gsort --nan=middle x.f64
