: >x
gsort x -o y
stat -c %s y
gsort </dev/null | wc -c
