# A closed standard input is no file that happens to be opened in its place.
printf 12345678 >x
code=0
gsort -o out <&- || code=$?
gsort x -o out <&- 2>&-
cmp x out
exit $code
