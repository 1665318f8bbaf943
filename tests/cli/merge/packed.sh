# Packed inputs of a merge: zstd's frames and gsort's, .npy in them, beside plain files and pipes; in runs, one by one, in little
# memory; stopped early, and what is wrong with them.
for i in 1 2 3 4; do
    gsort-gen --dist uniform --type u64 --seed $i --size 3M -o $i.u64
    gsort -q $i.u64 -o s$i.u64
done
gsort -q [1-4].u64 -o want.u64
zstd -q --no-progress s1.u64 s2.u64 # one frame each
gsort -q 3.u64 -o s3.u64.zst        # frames of 1 MiB
: >empty.u64 && zstd -q empty.u64
gsort -m s1.u64.zst s2.u64.zst s3.u64.zst s4.u64 empty.u64.zst -o got.u64
cmp got.u64 want.u64
gsort -m -t u64 <(cat s1.u64.zst) s2.u64.zst <(cat s3.u64) s4.u64 -o got.u64.zst --verify=read
zstd -dc got.u64.zst | cmp - want.u64
gsort -m --batch-size 2 s1.u64.zst s2.u64.zst s3.u64.zst s4.u64 -o got.u64
cmp got.u64 want.u64
gsort -m s1.u64.zst s2.u64.zst s3.u64.zst s4.u64 --top 1000 -o got.u64
head -c 8000 want.u64 | cmp - got.u64
for i in 1 2; do gsort -q s$i.u64 -o s$i.npy.zst; done
gsort -m s1.npy.zst s2.npy.zst -o got.npy
gsort -q 1.u64 2.u64 -o want.npy
cmp got.npy want.npy
for i in 1 2; do gsort -q -R 24 -k 8:u64:desc $i.u64 -o r$i.zst; done
gsort -m -R 24 -k 8:u64:desc r1.zst r2.zst -o got
gsort -q -R 24 -k 8:u64:desc 1.u64 2.u64 -o want
cmp got want
cat s2.u64.zst s1.u64.zst >both.u64.zst
gsort -m s4.u64 both.u64.zst -o got.u64 || echo "exit $?"
head -c 1000000 s1.u64.zst >cut.u64.zst
gsort -m s4.u64 cut.u64.zst -o new.u64 || echo "exit $?"
gsort -m -S 24M s1.u64.zst s2.u64.zst s3.u64.zst s4.u64 -o new.u64 || echo "exit $?"
gsort -m --header 8 s1.u64.zst s4.u64 -o new.u64 || echo "exit $?"
gsort -m s1.u64.zst s4.u64 -o got.u64 --stats=json 2>&1 | sed -n 's/.*"input_file_bytes": //p' | tr -d , >size
[ "$(cat size)" = $(($(stat -c %s s1.u64.zst) + $(stat -c %s s4.u64))) ] || cat size
[ ! -e new.u64 ]
