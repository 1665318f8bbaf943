gsort nothing.u64 -o out
