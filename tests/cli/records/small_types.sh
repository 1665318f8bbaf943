# Numbers of 2 bytes and times, as text; their order is the model's.
python3 -c 'import random, sys; random.seed(3); sys.stdout.buffer.write(random.randbytes(8))' >x.u16
python3 -c 'import struct; open("x.time64", "wb").write(struct.pack("<3q", -2**63, 7, 5))'
# Quantiles without a sort are those of a sort.
gsort-gen -t u64 -d uniform -n 3000 -o any
for type in f16be u32be time64 u128be; do
    gsort -t $type -r --quantiles 0,0.5,1 any --stats -o out 2>&1 | grep ^p | cmp - <(gsort -t $type --stats-only \
        --quantiles 0,0.5,1 any | grep ^p) || echo "$type: quantiles differ"
done
head -c 8 x.u16 | gsort -t u16 --head 4 --json
gsort -q x.time64 -o sorted.time64 && gsort --tail 2 sorted.time64
printf '\1\0\2\0\1\0' >three.u16
gsort --check three.u16
