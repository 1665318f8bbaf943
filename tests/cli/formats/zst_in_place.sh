# Packed files sorted in place.
need zstd
gsort-gen --dist uniform --type f64 --count 400000 --seed 5 -o x.f64
gsort x.f64 -o want
for way in "" "--spill always" "-S 20M --io threads"; do
    zstd -qf x.f64
    chmod 640 x.f64.zst
    gsort x.f64.zst -o x.f64.zst $way
    zstd -qdc x.f64.zst | cmp - want || echo "$way"
    stat -c %a x.f64.zst
done
