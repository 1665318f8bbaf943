# An input counts as it was when it was opened: with its size and the file of that name. The pipe is opened last, so
# when its writer is let in the file is open; and it is read before the file is.
need zstd
gsort-gen --dist uniform --type u64 --size 1M -o x
gsort-gen --dist uniform --type u64 --size 64K -o tail
cat x tail >both
gsort -t u64 both -o want
mkfifo pipe
# changed COMMAND [FILE]: sorts file, a copy of FILE, and pipe, and runs the command between.
changed() {
    cp "${2:-x}" file
    rm -f out
    code=0
    gsort -t u64 file pipe -o out &
    exec 3>pipe
    eval "$1"
    cat tail >&3
    exec 3>&-
    wait $! || code=$?
    echo "$1: exit $code"
}
changed 'truncate -s 65536 file'
[ ! -e out ]
# where a frame of a packed one ends
zstd -qc x >first
{ cat first && zstd -qc x; } >packed
changed 'truncate -r first file' packed
[ ! -e out ]
changed 'cat tail >>file'
cmp out want
cp tail other
changed 'mv other file'
cmp out want
changed 'rm file'
cmp out want
