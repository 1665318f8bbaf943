# Outputs are the same on all processors. An x86-64 and an aarch64 printed the .stdout, and each preset must print it
# again. Numbers, and records by keys, in runs that are spilled and packed; ranges sorted apart, as nodes of a cluster
# do, and merged in parts; groups with sums of floats. Compressed outputs are decompressed first, because another libzstd may compress differently.
digest() { sha256sum | cut -c1-16; }
sort_apart() { # FILE BYTES_OF_ELEMENT OPTION...: three ranges, each a run of its own; then parts of the whole, one behind the other
    local file=$1 i; shift
    local count=$(($(stat -c %s "$file") / $1)); shift
    for i in 0 1 2; do gsort "$@" --range $((count * i / 3)):$((count * (i + 1) / 3 - count * i / 3)) "$file" -o "run$i"; done
    for i in 1 2 3; do gsort "$@" --merge --part $i/3 run0 run1 run2 -o "part$i"; done
    cat part1 part2 part3 | digest
}
numbers() { # TYPE BYTES DISTRIBUTION
    gsort-gen -d "$3" -t "$1" -s 16M --seed 5 -o x
    echo "$1 $3: $(digest <x), sorted $(gsort -t "$1" x -S 12M --compress zstd | digest), down and apart $(sort_apart x "$2" -t "$1" -r)"
}
numbers f32 4 uniform
numbers f32 4 specials
numbers u64be 8 few
numbers i128 16 uniform
gsort-gen -d zipf -t u64 -n 2400000 -o x
keys=(--record 24 --key 0:u16 --key 8:f64:desc)
echo "records: $(gsort "${keys[@]}" x -S 24M --compress zstd | digest), apart $(sort_apart x 24 "${keys[@]}")"
echo "groups: $(gsort "${keys[@]}" x --unique --group 1 --count --sum 16:u64 | digest)"
gsort -t f64 x --where '>0' -o y.zst
echo "packed: $(gsort -t f64 --merge y.zst | digest)"
gsort-gen -d normal -t f64 -n 100000 -o x
gsort -t f64 x --stats-only --stats=json 2>&1 | grep -E '"(sum|fingerprint|min|max)"'
