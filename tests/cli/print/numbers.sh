# Numbers of every type are printed exactly; as JSON, too.
for type in u32 i32 f32 u64 i64 f64 u128; do
    for shape in uniform specials; do
        gsort-gen --type $type --dist $shape --count 3000 -o x.$type
        gsort --head 3000 x.$type >text
        python3 "$CASES/numbers.py" $type x.$type text
        gsort --head 3000 --json x.$type >text
        python3 "$CASES/numbers.py" $type x.$type text
        python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <text
    done
done
