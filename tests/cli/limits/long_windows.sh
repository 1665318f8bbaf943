# Short chunks are many runs, and long windows are several frames each. The memory that a refusal names is enough for their tables.
gsort-gen --dist uniform --type u64 --size 9600000 -o x
sort_it() { gsort -R 1000 -k 0:u32 x -o out -u --parallel 1 --chunk 4K --window 20M --memory "$1"; }
sort_it 1M 2>refused && exit 1
mib=$(sed -n 's/.*; at least \([0-9]*\) MiB are needed.*/\1/p' refused)
sort_it "$((mib - 1))M" 2>refused && exit 1
grep -q -- '--memory\|--chunk' refused
sort_it "${mib}M"
gsort --check -R 1000 -k 0:u32 out
