mkdir d
gsort d -o out
