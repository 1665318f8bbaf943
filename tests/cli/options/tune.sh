# --tune chooses how a GPU merges two runs. It is refused in one line if it would be ignored. A plan for a described
# GPU says it.
gsort-gen --type u64 --dist uniform --size 8000 -o x.u64
gsort x.u64 -o sorted.u64
echo '{"gpus": 1, "memory": "8G", "to_gpu": 5e10, "from_gpu": 5e10}' >model
while read -r arguments; do
    echo "$arguments"
    gsort $arguments -o out 2>&1 || echo "exit $?"
done <<'EOF'
--tune merge=circular x.u64
--tune merge=tiles x.u64
--tune merge=circular --device cpu x.u64
--tune merge=rings --device cuda x.u64
--tune circular --device cuda x.u64
--tune merge=circular --device cuda -m sorted.u64
--tune merge=circular --device cuda -t uint8 x.u64
EOF
gsort --check --tune merge=circular --device cuda sorted.u64 2>&1 || echo "exit $?"
ls
explain() {
    gsort --explain --device-model model --parallel 2 -S 256M "$@"
}
explain --tune merge=circular x.u64 | grep -E '^(device|tuning)'
explain --tune merge=tiles x.u64 | grep -E '^(device|tuning)'
for how in circular tiles; do
    explain --tune merge=$how --stats=json x.u64 | grep is_circular
done
explain --tune merge=circular -t uint8 x.u64 2>&1 || echo "exit $?"
