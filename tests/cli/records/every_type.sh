# Keys of every type, both endiannesses and directions, at odd and even places, against Python. The index in the
# last bytes of a record shows that equal keys keep their order: keys of few values come in, too.
model="python3 $CASES/model.py"
$model make 1200 41 1 in
for type in $(sized "uint8 int8 u16 i16 u32 i32 f32 u64 i64 f64 u128 i128 f16 bf16 time64 b1 b3 b10 b11 b20 b40" "i16 f64 i128 f16 time64 b3 b11"); do
    for key in "0:$type" "1:$type:desc" "0:${type}be" "1:${type}be:desc"; do
        [[ $key != *b[0-9]*be* ]] || continue
        for reverse in "" -r; do
            $model sort 41 in want "$key" $reverse
            gsort -q -R 41 -k "$key" $reverse in -o got
            cmp want got || echo "differs: $key $reverse"
            gsort -q -R 41 -k "$key" $reverse --check got || echo "not in order: $key $reverse"
        done
    done
done
for keys in "0:uint8 1:uint8:desc" "4:u32be 0:u16 2:u16:desc" "3:b2:desc 2:b5 8:f64" "8:f32be:desc 0:b12 16:u128"; do
    options=""
    for key in $keys; do options="$options -k $key"; done
    for reverse in "" -r; do
        $model sort 41 in want $keys $reverse
        gsort -q -R 41 $options $reverse in -o got
        cmp want got || echo "differs: $keys $reverse"
    done
done
