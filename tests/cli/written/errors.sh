# A request that cannot be written instead of elements gives one line, before anything is read.
head -c 4096 /dev/zero >x
refuse() {
    code=0
    gsort "$@" -o out || code=$?
    [ "$code" = 2 ] || echo "$code: $*"
    [ ! -e out ] || echo "an output: $*"
}
numbers="-t u64 x --argsort"
records="-R 16 -k 0:u32 x"
# shellcheck disable=SC2086
{
    refuse $numbers --index u16
    refuse -t u64 x --index u32
    refuse $numbers -m
    refuse $numbers --out 0:4
    refuse $numbers --quantiles 0.5
    refuse $numbers --histogram 3
    refuse $numbers --distinct
    refuse $numbers --mode
    refuse $numbers --resume dir
    refuse $numbers --verify=read
    refuse $records --argsort -u --sum 4:u32
    refuse -t u64 x --out 0:4
    refuse $records --out 0
    refuse $records --out 0:0
    refuse $records --out 8:9
    refuse $records --out 0:4,
    refuse $records --out price
    refuse $records --out 0:4 --out 4:4
    refuse $records --out 0:4 --resume dir
    gsort $numbers --check || echo $?
    gsort $records --stats-only --out 0:4 || echo $?
}
# More elements than u32 counts: known in advance for files, and found while reading pipes.
truncate -s 34359738376 huge
refuse -t u64 huge --argsort --index u32
refuse -t u64 huge --argsort --index u32 --range 4294967296:1
gsort -t u64 huge --argsort --index u32 --range 4294967295:1 | od -An -tu4
gsort -R 16 x --out 0:4,0:4 -o x.npy || echo $?
