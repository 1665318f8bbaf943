# The same input gives the same bytes with every memory size, thread count, engine and fan-in.
gsort-gen --dist specials --type f64 --count 400000 --seed 5 -o x.f64
gsort x.f64 -o want
for way in "--parallel 1" "--parallel 3" "--io threads" "--spill always" "--spill always --io threads" \
    "-S 16M" "-S 16M --parallel 3" "-S 64M --chunk 64K --window 16K" \
    "-S 64M --spill always --chunk 64K --window 8K --batch-size 3" "-S 16M --spill always --batch-size 2" \
    "--spill always --compress none" "--spill always --compress zstd" "--spill always --compress deltas" \
    "-S 64M --spill always --compress zstd:9 --io threads" \
    "-S 64M --spill always --chunk 64K --window 8K --batch-size 3 --compress zstd:3"; do
    gsort x.f64 -o got $way
    cmp got want || echo "differs: $way"
    gsort -t f64 $way <x.f64 >got
    cmp got want || echo "standard input differs: $way"
done
