printf 12345678 >x
[ -e /dev/full ] || { echo "no /dev/full"; exit 77; }
gsort x -o /dev/full
