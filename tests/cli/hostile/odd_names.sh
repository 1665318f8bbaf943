# Any name that a file can have; messages stay one line each.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort -t u64 x -o want
line=$'a\nline'
bytes=$'\xff\xfe.u64'
for name in 'a space' "$line" "$bytes" -x '*' "'"; do
    cp x "./$name"
    gsort -t u64 -o "./out $name" -- "$name"
    cmp want "./out $name"
    printf '%s\0' "$name" | gsort -t u64 --files0-from=- -o "./out $name" --stats=json | python3 -c '
import json, sys
json.load(sys.stdin)'
    cmp want "./out $name"
    gsort -t u64 -o "./out $name" -S 10M --spill always -T "$PWD" -- "$name"
    cmp want "./out $name"
done
gsort -t u64 -c "$line" || echo "exit $?"
gsort -t u64 "no $line" || echo "exit $?"
gsort -t u64 x -o "no $line/out" || echo "exit $?"
gsort -t u64 x -T "no $line" --spill always -o out || echo "exit $?"
gsort -t "$line" x || echo "exit $?"
gsort -t u64 --zstd="$line" x || echo "exit $?"
mkdir "dir $line"
gsort -t u64 --explain x -o "dir $line/out" | grep "^line" || true
