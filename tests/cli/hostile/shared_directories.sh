# In directories that other users may write to, temporary files have no names. A temporary name would change the
# directory's time. (File systems without nameless files would need one.)
mkdir -m 0777 temp
gsort-gen --dist uniform --type u64 --size 4M -o x
touch -d @1000 temp
gsort -t u64 x -o out -S 16M --spill always -T temp --compress none
[ "$(stat -c %Y temp)" = 1000 ] || echo "something in the temporary directory had a name"
gsort -t u64 x -S 16M --spill always -T temp >/dev/null
[ "$(stat -c %Y temp)" = 1000 ] || echo "something in the temporary directory had a name"
