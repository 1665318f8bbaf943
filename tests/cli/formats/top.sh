# The first of all, in every format: the header's count is theirs, a header is copied, packed is packed.
need zstd
gsort-gen --dist uniform --type f64 --count 200000 --seed 4 -o x.f64
gsort x.f64 | head -c 8000 >want
gsort x.f64 -o x.npy
for way in "" "--spill always"; do
    gsort --top 1000 $way x.npy -o top.npy
    cmp <(tail -c +129 top.npy) want
    head -c 128 top.npy | grep -ao "'shape': ([0-9]*,)"
    gsort --top 1000 $way x.f64 -o top.f64.zst
    cmp <(zstd -dc top.f64.zst) want
    zstd -qc x.f64 | gsort --top 1000 $way -t f64 | cmp - want
    (printf 'a header'; cat x.f64) >headed
    gsort --header 8 -t f64 --top 1000 $way headed -o got
    cmp got <(printf 'a header'; cat want)
    gsort --header 8 -t f64 --top 0 $way headed -o got
    cmp got <(printf 'a header')
    gsort --top 0 $way x.npy | head -c 128 | grep -ao "'shape': ([0-9]*,)"
done
