# Fails like any other output if a compressed one cannot be written: same message, same exit code.
gsort-gen --dist uniform --type u64 --count 3000000 --seed 5 -o x.u64
set +e
gsort -t u64 x.u64 --zstd | head -c 8 >/dev/null
echo "${PIPESTATUS[0]}"
gsort -t u64 x.u64 --zstd --io threads | head -c 8 >/dev/null
echo "${PIPESTATUS[0]}"
gsort -t u64 x.u64 --zstd >/dev/full
echo $?
cat x.u64 | gsort -t u64 --zstd --spill always >/dev/full
echo $?
