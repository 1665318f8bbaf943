# What values may be: in every type, at its borders; floats as IEEE 754 compares them; bytes.
keep() { # TYPE CONDITION: numbers of `x` that are kept, on a line
    gsort -t "$1" --where "$2" x | gsort -t "$1" --head 20 | tr '\n' ' '
    echo
}
python3 -c 'import struct; open("x", "wb").write(struct.pack("<6i", -2**31, -1, 0, 1, 5, 2**31 - 1))'
keep i32 '>=-1'
keep i32 '<=-2147483648'
keep i32 '>2147483647'
keep i32 '!=+5'
keep i32 '==0x5'
python3 -c 'import struct; open("x", "wb").write(struct.pack("<8d", -0.0, 0.0, float("nan"), -1.5, float("inf"), float("-inf"), 0.1, -float("nan")))'
for condition in '<0' '<=0' '==-0' '!=0' '>0' '>=-1.5' '==nan' '!=nan' '<inf' '<=inf' '==inf' '>-inf' '==0.1' '<1e-1' '>0x1p-4'; do
    echo "$condition: $(keep f64 "$condition")"
done
python3 -c 'import struct; open("x", "wb").write(struct.pack("<3f", 0.1, 0.25, 0.2))'
keep f32 '==0.1'
keep f32 '<0.25'
python3 -c 'open("x", "wb").write(b"".join(n.to_bytes(16, "little") for n in (0, 2**64, 2**128 - 1)))'
keep u128 '>=18446744073709551616'
keep u128 '==0xffffffffffffffffffffffffffffffff'
keep u128 '==-0'
keep i128 '<0'
keep i128 '>=18446744073709551616'

# Fields of records, by place and type, and bytes: text, hexadecimal, shorter than the field.
records() { gsort -R 8 -k 0:b4 "$@" x | gsort -R 8 -k 0:b4 -k 4:i16be -k 6:uint8 --head 9; }
python3 -c 'import struct
open("x", "wb").write(b"".join(struct.pack(">4shBB", n, v, w, 0) for n, v, w in ((b"ab", -3, 200), (b"abcd", 7, 1), (b"b", 300, 255), (b"\xff\0\0\1", 0, 9))))'
records --where '0:b4==ab'
records --where '0:b4>=abcd' --where '4:i16be>0'
records --where '0:b4>0xff'
records --where '4:i16be<=-3'
records --where '6:uint8>=200' --where '6:int8<0'
records --where '4:u16<0x200'
