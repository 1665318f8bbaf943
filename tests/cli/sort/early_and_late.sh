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
PY
for memory in 14M 16M 18M 24M; do
    gsort -q -R 100 -k 0:u64be -S $memory in -o out
    cmp out want && echo "$memory: in order"
done
