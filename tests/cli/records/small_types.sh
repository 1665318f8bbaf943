# Numbers of 1 and 2 bytes, of the other byte order, and times: as Python orders them, by every way to say the type.
model="python3 $CASES/model.py"
for type in uint8 int8 u16 i16 f16 bf16 time64 $(sized "u16be i16be f16be bf16be u32be i32be f32be u64be i64be f64be u128be time64be" "f16be u32be"); do
    bits=${type//[a-z]/} && bits=${bits:-8} bytes=$((bits / 8))
    python3 -c "
import random, sys
random.seed(3)
data = random.randbytes(3000 * $bytes) + (bytes($bytes) + b'\\xff' * $bytes) * 20
sys.stdout.buffer.write(data + b'\\0' * ($bytes - 1) + b'\\x80')" >x.$type
    $model sort $bytes x.$type want 0:$type
    $model sort $bytes x.$type reversed 0:$type -r
    gsort -q x.$type -o got
    cmp want got
    gsort -q -r x.$type -o got
    cmp reversed got
    gsort -q -t $type <x.$type | cmp want -
    gsort -q -t $type --top 100 x.$type | cmp -n $((100 * bytes)) want -
    gsort -q -t $type --check want || echo "$type: not in order"
    gsort -q -t $type -m want want | gsort -q -t $type --check || echo "$type: not merged"
    gsort -t $type -r --quantiles 0,0.5,1 x.$type --stats -o out 2>&1 | grep ^p | cmp - <(gsort -t $type --stats-only \
        --quantiles 0,0.5,1 x.$type | grep ^p) || echo "$type: quantiles differ"
    value=$(gsort -q -t $type --head 1500 want | tail -1)
    found=$(gsort -q -t $type --find="$value" want | head -1)
    kept=$(gsort -t $type --where "==$value" --stats-only x.$type | sed -n 's/^elements *//p')
    [ $((${found%:*} <= 1499)) = 1 ] && [ "$kept" -ge 1 ] || echo "$type: $value is not found: $found, $kept"
done
head -c 8 x.u16 | gsort -t u16 --head 4 --json
gsort -q x.time64 -o sorted.time64 && gsort --tail 2 sorted.time64
printf '\1\0\2\0\1\0' >three.u16
gsort --check three.u16
