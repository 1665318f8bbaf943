printf 12345678 >x
[ -e /dev/full ] || skip "no /dev/full"
gsort x -o /dev/full
