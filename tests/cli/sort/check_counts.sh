# --check with a report prints duplicates and valsort's checksum, and says nothing without one. Their values: tests/model.
printf '%0100d%0100d%0100d' 1 1 2 >r
gsort -c -R 100 -k 0:b100 r --stats 2>&1 | grep -E '^checksum|duplicate'
gsort -c -R 100 -k 0:b100 r -v 2>&1 | grep -c duplicate
for quiet in -k0:b100 --stats=none -q; do gsort -c -R 100 $quiet r; done
# The sum of nothing is 0.
: >none
gsort -c -R 100 --stats=json none | grep valsort
