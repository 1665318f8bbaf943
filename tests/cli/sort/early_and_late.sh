# Sorts records that are in order but for two. An early one stays in memory. A late one ends the one
# pass after most of the output is written. Then the early one's chunk has lower indexes than the
# written records, which are read again.
python3 - <<'PY'
import struct
keys = list(range(5, 4_000_005, 10))
keys[40_000], keys[399_800] = 2**63, 1
records = [struct.pack(">Q", key) + b"%092d" % i for i, key in enumerate(keys)]
open("in", "wb").writelines(records)
open("want", "wb").writelines(sorted(records))
keys = [i // 4 * 8 + 5 for i in range(3_400_000)]
keys[340_000], keys[3_398_300] = 2**32 - 1, 1
records = [struct.pack(">IQ", key, i) for i, key in enumerate(keys)]
open("short", "wb").writelines(records)
open("short.want", "wb").writelines(sorted(records))
PY
for memory in 14M 16M 18M 24M; do
    gsort -q -R 100 -k 0:u64be -S $memory in -o out
    cmp out want && echo "$memory: in order"
    gsort -q -R 12 -k 0:u32be -S $memory short -o out
    cmp out short.want && echo "$memory: in order, the same with records in their tags"
done
