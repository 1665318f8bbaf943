# --permute writes the elements at given positions. It undoes and repeats what --argsort found, in memory and by sorts. All that
# outputs can do goes with it. Wrong positions are refused, and a signal leaves nothing.
python3 "$CASES/permute.py" "$(sized 150 30)"
gsort-gen --dist uniform --type u64 --count 100000 --seed 3 -o a.u64
gsort a.u64 -o sorted.u64
gsort --argsort=u32 a.u64 -o places.u32
gsort -q -t u32 --argsort places.u32 -o back.u64
for way in "" "--spill always"; do
    gsort --permute places.u32 $way a.u64 | cmp - sorted.u64
    gsort --permute back.u64 $way sorted.u64 | cmp - a.u64
    gsort --permute places.u32 $way --split 3 a.u64 -o part.%d.u64
    cat part.?.u64 | cmp - sorted.u64
    gsort --permute places.u32 $way a.u64 -o out.u64.zst
    zstd -dc out.u64.zst | cmp - sorted.u64
    zstd -qc a.u64 >a.u64.zst
    gsort --permute places.u32 $way a.u64.zst | cmp - sorted.u64
    gsort --permute places.u32 $way a.u64 -o out.npy
    gsort --argsort --permute places.u32 $way a.u64 -o refused 2>/dev/null && echo "not refused"
    gsort --permute back.u64 $way out.npy -o again.npy
    gsort --drop-header again.npy | cmp - sorted.u64
    gsort -t u64 --header 800 --permute places.u32 --range 0:5 $way a.u64 -o refused 2>/dev/null && echo "not refused"
    (head -c 800 a.u64; tail -c +801 a.u64) >headed
    gsort -q -t u64 --header 800 --drop-header --argsort headed -o short.u64
    gsort -t u64 --header 800 --permute short.u64 $way headed -o got
    gsort -t u64 --header 800 headed | cmp - got
    gsort --permute places.u32 --out-order big $way a.u64 -o out.u64be
    gsort -t u64be out.u64be | cmp - out.u64be
done
# Positions and elements are read, pairs and entries are spilled once; a codec would be chosen by what it measures. The least
# memory is enough.
gsort-gen --dist uniform --type u64 --size "$(sized 96M 64M)" --seed 5 -o large.u64
gsort --argsort large.u64 -o large_places.u64
gsort large.u64 -o large_sorted.u64
gsort --permute large_places.u64 large.u64 -S 40M --compress=none -o got --stats=json:report.json
cmp large_sorted.u64 got
python3 - <<'END'
import json
report = json.load(open("report.json"))
elements = report["input_bytes"]
assert report["position_count"] * 8 == report["output_bytes"] == elements
read, written = (report[name] / elements for name in ("bytes_read", "bytes_written"))
assert read < 5.1 and written < 4.1, (read, written)
assert report["memory_peak_bytes"] <= 40 << 20, report["memory_peak_bytes"]
END
gsort --permute large_places.u64 large.u64 -S 20M | cmp - large_sorted.u64
# A kill at any time leaves the old output, or the whole new one, and nothing else.
mkdir kill
cd kill
head -c 40M ../large.u64 >x
gsort -t u64 x -o want
gsort -t u64 --argsort x -o p
for signal in INT KILL; do
    for delay in $(sized "0.02 0.1 0.3" 0.1); do
        for way in "" "-S 32M"; do
            python3 "$CASES/../interrupt.py" "$signal" "$delay" gsort -t u64 --permute p x -o out $way || echo "$signal after $delay ($way)"
            [ "$(ls -A)" = "$(printf 'out\np\nwant\nx')" ] || { echo "left behind:"; ls -A; }
        done
    done
done
cd ..
# Refused.
printf 123 >odd
: >empty.f64
mkfifo fifo
for options in "--permute odd" "--permute empty.f64" "--permute a.u64.zst" "--permute missing" "--permute fifo" "--permute back.u64 -S 16M --spill always" \
    "--permute back.u64 -R 65535 --drop-tail -q --spill always"; do
    gsort $options a.u64 -o refused && echo "not refused: $options"
    [ ! -e refused ] || echo "written: $options"
done
