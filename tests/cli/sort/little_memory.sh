# Every distribution, larger than the little memory there is, from a file and from a pipe: never stuck,
# never over the ceiling, the same bytes.
for dist in $(sized "$(third $(gsort-gen --list | cut -d' ' -f1))" "zipf specials"); do
    type=u64
    [ "$dist" != specials ] || type=f64
    gsort-gen --dist "$dist" --type $type --size 24M --seed 7 -o x
    gsort -t $type x -o want -S 1G
    for way in "-S 12M --parallel 1" "-S 17M --parallel 3 --io threads" \
        "-S 20M --batch-size 3 --spill always"; do
        timeout 120 gsort -t $type x -o got $way || echo "$dist $way: exit $?"
        cmp got want || echo "$dist $way: differs"
        timeout 120 gsort -t $type $way <x | cmp - want || echo "$dist $way: standard input differs"
        cat x | timeout 120 gsort -t $type $way | cmp - want || echo "$dist $way: pipe differs"
    done
done
