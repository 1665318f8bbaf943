# Positions of a .npy file in several compressed files: each header names the elements of its file, also the last one's.
gsort-gen --type u64 --dist uniform --size 33552 -o x
gsort x -t u64 -o x.npy
gsort x.npy --argsort=u32 --split 3 --zstd -o out.%d
for file in out.1 out.2 out.3; do
    zstd -dcq $file | head -c 128 | grep -ao "'shape': ([0-9]*,)"
done
