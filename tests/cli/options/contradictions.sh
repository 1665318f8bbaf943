for arguments in "--stats-only -o out" "--check --stats-only" "--check -o out" "--explain --check" "-q -v" \
    "-q --stats" "--stats-only -r" "--stats-only -T ." "--check --spill always" "--check --compress zstd" "-o a -o b" \
    "--check --zstd" "-R 8 -t u64" "-k 0:uint8" "--stats-of 0:uint8" \
    "--count" "-u --stats-only" "--check --count -u" "--stats-only --top 3" "--check --top 3" \
    "-m --check" "-m --stats-only" "-m --chunk 1M" "-m --spill always" "--check --verify read" "--verify read" \
    "-u --count --verify read -o out"; do
    code=0
    gsort $arguments /dev/null || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
