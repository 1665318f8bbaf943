printf 12345678 >x
gsort x -o no/such/place
