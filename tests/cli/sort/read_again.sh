# Presorted ranges of files are read again instead of spilled, except if entries are sorted instead of elements, or if
# files are closed in between.
gsort-gen -d sorted -t u64 -n 900000 -o rising.u64
{ tail -c +3600001 rising.u64 && head -c 3600000 rising.u64; } >halves.u64
split -b 48000 -d -a 3 halves.u64 part.
few="-t u64 -S 10M --parallel 1 --window 16K --chunk 64K --compress none"
middle=$(gsort --head 450000 rising.u64 | tail -1)
for way in "" "--where >$middle" "--argsort" "-u" "-r"; do
    for files in halves.u64 "$(echo part.*)"; do
        gsort $few $way $files -o got
        gsort -t u64 $way $files -o want
        cmp got want || echo "$way ${files:0:10}"
    done
done
