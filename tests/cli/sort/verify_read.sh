# --verify=read writes the same, whatever is written: merged, in place, onto a link, from a pipe.
gsort-gen --dist uniform --type f64 --size 3M -o a.f64
gsort-gen --dist zipf --type f64 --size 2000008 -o b.f64
gsort a.f64 b.f64 -o want
gsort a.f64 -o a.sorted -t f64
gsort b.f64 -o b.sorted -t f64
gsort -m -t f64 a.sorted b.sorted --verify=read -o merged
cmp want merged
cat a.f64 b.f64 | gsort -t f64 -S 12M --verify=read -o piped
cmp want piped
cat a.f64 b.f64 >both.f64
ln -s both.f64 link
gsort -t f64 link -S 12M --compress zstd --verify=read --io threads -o link
cmp want both.f64
gsort -t f64 --verify=read /dev/null -o empty
cmp empty /dev/null
gsort --explain --verify=read a.f64 -o x | grep '^read'
# The same for elements that are counted, whose key may have several names.
gsort-gen --dist uniform --type u64 --size 20000 -o c.u64
gsort -q -R 2 -k 0:u16 c.u64 -o want
gsort -q -R 2 -k 0:u16 --stats-of 0:u16 --stats-of 0:u16 --stats-of 0:u16 c.u64 --verify=read -o counted 2>report
cmp want counted
