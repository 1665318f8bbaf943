gsort-gen --dist uniform --size 1M --type u64 -o x
gsort x -o out -S 1M
