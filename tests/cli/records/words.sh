# Records that are sorted as integers, and those that ride in their tags, give the bytes of the model in every way: in
# memory, spilled, merged from sorted files, as the first few; largest first, too.
python3 - <<'PY'
import random
source = random.Random(9)
for bytes in 4, 8, 10, 12, 16:
    with open(f"in{bytes}", "wb") as file:
        for i in range(30000):
            file.write(source.randbytes(bytes) if i % 3 else bytes * source.randbytes(1))
PY
ways=("" "--parallel 1 --io threads" "-S 12M --spill always --batch-size 2" "--spill always --chunk 64K --compress zstd"
    "--spill always --chunk 64K --window 16K --compress deltas")
check() {
    local bytes=$1 keys=() order=
    shift
    for key in "$@"; do
        keys+=(-k "$key")
    done
    python3 "$CASES/model.py" sort "$bytes" "in$bytes" want "$@"
    for ((i = 0; i < ${#ways[@]}; i += $(sized 1 2))); do
        gsort -q -R "$bytes" "${keys[@]}" "in$bytes" -o got ${ways[i]}
        cmp want got || echo "$bytes $*: differs: ${ways[i]}"
    done
    head -c $((10000 * bytes)) "in$bytes" | gsort -q -R "$bytes" "${keys[@]}" -o one
    tail -c +$((10000 * bytes + 1)) "in$bytes" | gsort -q -R "$bytes" "${keys[@]}" -o two
    gsort -q -R "$bytes" "${keys[@]}" -m one two -o got
    cmp want got || echo "$bytes $*: a merge differs"
    gsort -q -R "$bytes" "${keys[@]}" --top 700 "in$bytes" -o got
    head -c $((700 * bytes)) want | cmp - got || echo "$bytes $*: the first differ"
    gsort -q -R "$bytes" "${keys[@]}" -c want || echo "$bytes $*: is not in order"
}
check 4 0:i16be 2:f16
check 8 0:u32 4:u32
check 8 4:i32be:desc 0:f32
check 8 0:u32
check 10 0:b10
check 10 2:f64:desc
check 12 4:u64be
check 16 8:f64 0:time64be
check 16 0:i128be
# What is out of order is told as it was read.
printf '\x02\0\0\0\x07\0\0\0\x02\0\0\0\x05\0\0\0' >pair
gsort -R 8 -k 0:u32 -k 4:i32 -c pair || echo "exit $?"
gsort -R 8 -k 4:u32 -m pair pair -o merged || echo "exit $?"
