# Records of lengths around every power of two, whole and by a key at their end, resident and spilled.
model="python3 $CASES/model.py"
for power in $(sized "2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536" "2 16 128 4096 65536"); do
    for record in $((power - 1)) $power $((power + 1)); do
        [ "$record" -ge 2 ] && [ "$record" -le 65536 ] || continue
        count=$((record < 100 ? 2000 : 200000 / record + 20))
        $model make $count "$record" "$record" in
        key="$((record - 2)):u16"
        $model sort "$record" in want_all
        $model sort "$record" in want_key "$key"
        spilled="--spill always -S 16M"
        [ $((record % 2)) -eq 0 ] || spilled="$spilled --io threads --compress zstd"
        for way in "" "$spilled"; do
            gsort -q -R "$record" $way in -o got
            cmp want_all got || echo "differs: $record $way"
            gsort -q -R "$record" -k "$key" $way <in >got
            cmp want_key got || echo "differs by key: $record $way"
        done
    done
done
