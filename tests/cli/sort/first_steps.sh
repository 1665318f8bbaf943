# Little-endian u32 in, sorted out; default type from the name.
printf '\3\0\0\0\1\0\0\0\2\0\0\0' >x.u32
gsort x.u32 -o y.u32
od -An -tu4 y.u32
gsort -r x.u32 -o y.u32
od -An -tu4 y.u32
gsort -t i32 <x.u32 | od -An -td4
