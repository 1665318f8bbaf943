# The sum of numbers that are all -0 is -0, as IEEE 754 has it; of none, or of both zeros, it is 0.
write() { # FORMAT NUMBER...
    python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack(f"<{len(sys.argv) - 2}" + sys.argv[1], *map(float, sys.argv[2:])))' "$@"
}
sums() {
    gsort "$@" --stats=json 2>err | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(*[numbers["sum"] for numbers in [report["tally"], *report.get("fields", [])] if "sum" in numbers])'
}
for kind in e:f16 f:f32 d:f64; do
    write ${kind%:*} -0 -0 -0 > minus
    write ${kind%:*} -0 0 -0 > both
    write ${kind%:*} -0 1 -1 > more
    write ${kind%:*} > none
    for file in minus both more none; do
        echo ${kind#*:} $file $(sums --stats-only -t ${kind#*:} $file) $(sums -t ${kind#*:} $file -o out)
    done
done
write d -0 0 -0 1 > pairs
sums -R 16 -k 0:f64 --stats-of 0:f64 --stats-of 8:f64 pairs -o out
gsort -R 16 -k 0:f64 --stats-of 0:f64 pairs -o out --stats 2>&1 | grep sum
