# Records that are sorted as integers: their first keys are counted, not whole records.
python3 -c 'import struct; open("x", "wb").write(struct.pack("<12I", 1, 5, 1, 6, 1, 7, 2, 8, 2, 8, 3, 9))'
gsort -R 8 -k 0:u32 -k 4:u32 x -o out --distinct --mode 2>&1 | grep -E '^(distinct|mode)'
# One value occurs twice, all others once.
python3 -c 'import struct; open("x.u32", "wb").write(struct.pack("<5I", 1, 2, 4, 4, 9))'
gsort x.u32 -o out --mode 2>&1 | grep ^mode
