# Any name that a file can have; messages stay one line each.
gsort-gen --dist uniform --type u64 --size 64K -o x
gsort x -o want
line=$'a\nline'
bytes=$'\xff\xfe.u64'
for name in 'a space' "$line" "$bytes" -x '*' "'"; do
    cp x "./$name"
    gsort -o "./out $name" -- "$name"
    cmp want "./out $name"
    printf '%s\0' "$name" | gsort --files0-from=- -o "./out $name" --stats=json | python3 -c '
import json, sys
json.load(sys.stdin)'
    cmp want "./out $name"
    gsort -o "./out $name" -S 10M --spill always -T "$PWD" -- "$name"
    cmp want "./out $name"
done
gsort -c "$line" || echo "exit $?"
gsort "no $line" || echo "exit $?"
gsort x -o "no $line/out" || echo "exit $?"
gsort x -T "no $line" --spill always -o out || echo "exit $?"
gsort -t "$line" x || echo "exit $?"
gsort --zstd="$line" x || echo "exit $?"
mkdir "dir $line"
gsort --explain x -o "dir $line/out" | grep "^line" || true
