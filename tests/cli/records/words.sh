# An element that is out of order is shown as it was read.
printf '\x02\0\0\0\x07\0\0\0\x02\0\0\0\x05\0\0\0' >pair
gsort -R 8 -k 0:u32 -k 4:i32 -c pair || echo "exit $?"
gsort -R 8 -k 4:u32 -m pair pair -o merged || echo "exit $?"
