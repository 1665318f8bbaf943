# Thousands of runs, with and without intermediate merges, where 64 files may be open.
runs=$(sized 5120 2048)
gsort-gen --dist uniform --type u64 --size "$((runs * 8))K" -o x
gsort -t u64 x -o want
ulimit -n 64
third "-S 1G" "-S 80M --io threads" "-S 40M --batch-size 16 --compress zstd" | while read -r way; do
    timeout 240 gsort -t u64 x -o got --chunk 8K --window 4K --spill always $way --stats=json >report
    cmp got want
    python3 -c "import json; assert int(json.load(open('report'))['spilled_runs']) == $runs"
done
