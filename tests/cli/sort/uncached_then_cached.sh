# The first file is on disk only and ends within a page; the second is in the page cache, so it is read first. Neither
# may overwrite the other in memory. (It took three tries, on average.)
for i in $(seq "$(sized 20 5)"); do
    gsort-gen --dist uniform --type u32 --count $((2500003 + i)) --seed "$i" -o a.u32
    gsort-gen --dist uniform --type u32 --count 5009 --seed "9$i" -o b.u32
    cat b.u32 >c.u32
    gsort -q a.u32 c.u32 -o sorted.u32
    cat a.u32 c.u32 | gsort -q -t u32 -o piped.u32
    cmp sorted.u32 piped.u32
done
