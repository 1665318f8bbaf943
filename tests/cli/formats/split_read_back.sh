# --verify=read compares the header of each file of a split, which has a count of its own.
gsort-gen --dist uniform --type u32 --count 21 -o in.u32
gsort in.u32 -o in.npy
gsort in.npy --split 2 --verify=read -o part%d.npy
grep -ao 'shape.: ([0-9]*' part1.npy part2.npy
