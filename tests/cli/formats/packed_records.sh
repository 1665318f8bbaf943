# Packed records of which a chunk, or a window, is no whole number of pages, read from the disk and not from its cache.
gsort-gen --dist uniform --type u64 --size 8M -o x
for bytes in 3 1000 4100 33000; do
    most=$((bytes == 3 ? 90000 : 8388608))
    head -c $((most / bytes * bytes)) x >plain
    gsort -R $bytes plain -o sorted
    gsort -R $bytes plain -o sorted.zst --verify=read -S 20M --window 128K || echo "$bytes: not read back"
    dd if=sorted.zst iflag=nocache count=0 status=none
    chunk=$((bytes == 3 ? 16 : 200))K
    gsort -R $bytes sorted.zst -o out -S 20M --chunk $chunk || echo "$bytes: exit $?"
    cmp out sorted
done
