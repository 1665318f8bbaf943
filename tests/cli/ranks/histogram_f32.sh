# A border between two f32 is a double: 0.7 as f32 is below 7 * 0.1, and belongs to the bin before that. Without a sort, and by one.
python3 -c 'import struct; open("x.f32", "wb").write(struct.pack("<4f", 0, 0.3, 0.7, 1))'
counts() { awk '/histogram/ { is_it = 1 } is_it { print $NF }' | xargs; }
gsort --stats-only x.f32 --histogram 10 | counts
gsort -r x.f32 -o /dev/null --histogram 10 2>&1 | counts
