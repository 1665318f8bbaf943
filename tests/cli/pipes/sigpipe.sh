# A reader that leaves: the signal ends gsort, as it ends sort(1).
gsort-gen --dist uniform --type u64 --count 3000000 -o x
set +e
gsort -t u64 x | head -c 8 >/dev/null
echo "${PIPESTATUS[0]}"
gsort -t u64 x --io threads | head -c 8 >/dev/null
echo "${PIPESTATUS[0]}"
