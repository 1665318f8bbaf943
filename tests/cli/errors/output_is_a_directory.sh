mkdir d
printf 12345678 >x
gsort x -o d
