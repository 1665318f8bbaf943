# How many were kept.
printf '\1\0\0\0\3\0\0\0\2\0\0\0\3\0\0\0' >x.u32
gsort -u x.u32 -o y.u32 --stats 2>&1 | head -4
gsort -u x.u32 -o y.u32 --stats=json | grep -E '"(unique_count|output_bytes|count)"'
gsort x.u32 -o y.u32 --stats=json | grep unique_count
