# Too little room is found before the work, by file system; --explain says so and is no failure.
need_mounts
gsort-gen --dist uniform --type u64 --size 8M -o x
mkdir one two
unshare -rm bash -eu <<'IN'
mount -t tmpfs -o size=7M none one
mount -t tmpfs -o size=2M none two
mkdir one/a one/b
way="--spill always -S 16M --window 64K"
for places in "-o one/out" "-o out -T one" "-o out -T one/a -T one/b" "-o one/out -T two"; do
    code=0
    echo "$places"
    gsort -t u64 x $places $way --explain | grep -A2 -E 'temporary space|^space'
    gsort -t u64 x $places $way 2>&1 || code=$?
    echo "exit $code"
done
gsort -t u64 x -o out -T one -T two $way
gsort -t u64 --check out
IN
