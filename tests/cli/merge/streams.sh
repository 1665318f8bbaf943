# Pipes, process substitutions and standard input among files; empty ones; behind headers; numbers and records; more
# streams than are merged at once.
for i in 1 2 3 4 5; do
    gsort-gen --dist zipf --type u64 --count $((i * i * 3000 + i)) --seed $i | gsort -t u64 >s$i
    { printf 'header %d,' $i; cat s$i; } >h$i
    gsort -R 8 -k 1:b3 <s$i >r$i
    { head -c 70000 /dev/zero; cat r$i; } >z$i
done
: >empty
gsort -t u64 s? -o want
gsort -R 8 -k 1:b3 r? -o want_records
ways=("-S 64M --io threads --window 4K" "-S 20M --window 16K --batch-size 2 --compress none" "")
for way in "${ways[@]:0:$(sized 3 2)}"; do
    cat s2 | gsort -t u64 -m s1 - <(cat s3) <(:) s4 empty <(sleep 0.1; cat s5) $way | cmp - want || echo "$way"
    cat h2 | gsort -t u64 -m --header 9 h1 - <(cat h3) h4 <(cat h5) $way | cmp - <(printf 'header 1,'; cat want) ||
        echo "--header $way"
    cat h1 | gsort -t u64 -m --header 9 - h2 <(cat h3) h4 <(cat h5) $way | cmp - <(printf 'header 1,'; cat want) ||
        echo "--header of a stream $way"
done
ways=("-S 20M --window 32K --batch-size 2 --compress none" "-S 64M --io threads --window 32K" "")
for way in "${ways[@]:0:$(sized 3 1)}"; do
    cat r2 | gsort -m -R 8 -k 1:b3 r1 - <(cat r3) <(:) r4 empty <(cat r5) $way | cmp - want_records || echo "-R $way"
    gsort -m -R 8 -k 1:b3 --header 70000 z1 <(cat z2) z3 <(cat z4) z5 $way | tail -c +70001 | cmp - want_records ||
        echo "-R --header $way"
done
gsort -t u64 -m <(:) <(:) <(:) --batch-size 2 | wc -c
gsort -t u64 -m empty empty -o got && wc -c <got
cat s1 <(printf odd) | gsort -t u64 -m s2 - -o got || echo "exit $?"
cat s2 s1 | gsort -t u64 -m s3 - -o got || echo "exit $?"
head -c 5 h2 | gsort -t u64 -m --header 9 - s2 -o got || echo "exit $?"
wc -c <got

# How long a stream of records may be depends on the memory.
head -c 6400K /dev/zero >zeros
gsort -m -R 2 -S 12M --window 12K --parallel 1 <(cat zeros) <(cat zeros) <(cat zeros) <(cat zeros) -o got || echo "exit $?"
gsort -m -R 2 -S 24M --window 12K --parallel 1 <(cat zeros) <(cat zeros) <(cat zeros) <(cat zeros) | cmp - <(cat zeros zeros zeros zeros)
