# Data and report never mix: the report goes to standard error while data go to standard output.
gsort-gen --dist uniform --type u64 --count 1000 -o x
gsort -t u64 x --stats=json 2>report | gsort -t u64 --check
python3 -m json.tool report >/dev/null
gsort -t u64 x -o y --stats=json >report
python3 -m json.tool report >/dev/null
gsort -t u64 x -o y --stats >out 2>err
[ ! -s out ]
grep -q elements err
gsort -t u64 x -o y -q
