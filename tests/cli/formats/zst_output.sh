# The output is packed by name or option, for any reader; the default level is 1, checksums are there.
need zstd
gsort-gen --dist zipf --type u64 --count 500000 --seed 5 -o x.u64
gsort -t u64 x.u64 -o want
gsort -t u64 x.u64 -o got.zst
zstd -qdc got.zst | cmp - want
gsort -t u64 x.u64 --zstd | cmp - got.zst
gsort -t u64 x.u64 --zstd=1 -o other --spill always
cmp other got.zst
gsort -t u64 x.u64 --zstd >shared
cmp shared got.zst
(printf before && gsort -t u64 x.u64 --zstd) >shared
tail -c +7 shared | cmp - got.zst
gsort -t u64 x.u64 --zstd=9 | zstd -qdc | cmp - want
zstd -lv got.zst 2>/dev/null | grep -c XXH64
gsort -t u64 x.u64 --zstd | gsort -t u64 -r --zstd | gsort -t u64 | cmp - want
[ "$(stat -c %s got.zst)" -lt "$(stat -c %s want)" ] || echo "not smaller"
gsort -t u64 x.u64 -o got.zst --stats 2>&1 | grep files | sed 's/[0-9.]* .iB/SIZE/'
gsort -t u64 </dev/null -o empty.zst
zstd -qdc empty.zst | cmp - /dev/null
