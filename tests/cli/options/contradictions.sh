for arguments in "--stats-only -o out" "--check --stats-only" "--check -o out" "--explain --check" "-q -v" \
    "-q -v --stats" "--stats-only -r" "--stats-only -T ." "--check --spill always" "--check --compress zstd" "-o a -o b" \
    "--check --zstd" "-R 8 -t u64" "-k 0:uint8" "--stats-of 0:uint8" \
    "--count" "-u --stats-only" "--check --count -u" "--stats-only --top 3" "--check --top 3" \
    "-m --check" "-m --chunk 1M" "-m --spill always" "--check --verify read" "--verify read" \
    "-u --count --verify read -o out" "-c -C" "--keep=first" "--keep=first -c" "--spill=auto -m" \
    "--stats=none --stats-only" "--stats=none --variance" "--stats=none -v" "-C -o out" "-m --find 3" \
    "-R 24 -k 0:u64 -u --sum 16:f64 --out 0:8" "-R 24 -k 0:u64 -u --count --min 8:u32 --out 0:8" \
    "--device cpu --device-memory 1G"; do
    code=0
    gsort $arguments /dev/null || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
