gsort -Z
