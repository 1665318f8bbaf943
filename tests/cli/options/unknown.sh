gsort --frobnicate
