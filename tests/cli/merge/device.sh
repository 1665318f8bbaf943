# A GPU that was asked for is not used, and the report says so.
gsort-gen --dist sorted --type u64 --count 1000 -o x
gsort -t u64 -m x x -o y --device cuda --stats 2>&1 | grep device
gsort -t u64 --check y
