printf 12345678 >x
[ -e /dev/full ] || skip "no /dev/full"
gsort -t u64 x -o /dev/full
