# The first and last keys of sorted files agree in bytes in which other keys differ.
pairs() { for pair; do printf '0000000%s0000000%sxxxxxxxx' ${pair/,/ }; done; }
pairs 0,0 0,5 1,0 > a
pairs 0,0 0,3 1,0 > b
gsort -m -R 24 -k 0:u64be -k 8:u64be a b -o - | fold -w 24 && echo
