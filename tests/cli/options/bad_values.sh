# Each bad value: one line, exit 2.
for arguments in "-S 0" "-S 12X" "-S -5" "-S 1e99" "--parallel 0" "--parallel x" "--parallel 4x" "--batch-size 1" \
    "--io aio" "--device tpu" "--device cuda:x" "--device cuda:0,x" "--device cuda:0,64" "--device-memory 0" "--spill maybe" \
    "--compress lzma" "--compress zstd:0" "--compress zstd:20" "--compress zstd:" "--compress deltas:1" \
    "--header 2M" "--zstd=0" "--zstd=20" "--zstd=x" "--stats=xml" "--progress sometimes" "-t u63" \
    "-R 0" "-R 65537" "-R 8 -k 0" "-R 8 -k 0:u33" "-R 8 -k 7:u16" "-R 8 -k 0:uint8:up" "-R 8 --stats-of 0:b4" \
    "--chunk 10%" "--window 0" "--top -1" "--top ten" "--top 10%" "--verify never"; do
    code=0
    gsort $arguments /dev/null -o out || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
    [ ! -e out ] || echo "$arguments: wrote an output"
done
