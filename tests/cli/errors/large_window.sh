# A frame of a spilled run may be as large as a window, and its bytes are counted in 32 bits.
gsort-gen --dist uniform --type u64 --size 1M -o x
gsort -q x -o out -S 64G --window 4G --spill always
