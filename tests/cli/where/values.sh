# Other ways to write a value: hexadecimal, with a sign, -0, longer than the field. Values of all types: tests/model.
keep() { # TYPE CONDITION: numbers of `x` that are kept, on a line
    gsort -t "$1" --where "$2" x | gsort -t "$1" --head 20 | tr '\n' ' '
    echo
}
python3 -c 'import struct; open("x", "wb").write(struct.pack("<6i", -2**31, -1, 0, 1, 5, 2**31 - 1))'
keep i32 '!=+5'
keep i32 '==0x5'
python3 -c 'import struct; open("x", "wb").write(struct.pack("<3d", 0.1, 1e-3, float("inf")))'
keep f64 '>0x1p-4'
keep f64 '<1e-1'
python3 -c 'open("x", "wb").write(b"".join(n.to_bytes(16, "little") for n in (0, 2**64, 2**128 - 1)))'
keep u128 '==0xffffffffffffffffffffffffffffffff'
keep u128 '==-0'
printf 'ab\0\0abcdb\0\0\0\377\0\0\1' >x
gsort -R 4 -k 0:b4 --where '0:b4==ab' --print x
gsort -R 4 -k 0:b4 --where '0:b4>0xff' --print x
