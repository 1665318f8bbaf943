gsort-gen --dist uniform --size 1M --type u64 -o x
for more in "--spill always" "" --explain; do gsort -q -t u64 x -o out -T /nonexistent $more || echo "exit $?"; done
