# The plan, and nothing else happens.
gsort-gen --dist uniform --type u64 --size 64M -o x
gsort x -o y -S 24M --explain >plan
[ ! -e y ]
grep -qi 'run' plan
