# All statistics ignore NaNs, which are counted: sum, mean, extremes and quantiles, of numbers and fields, by every path.
put() { python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack(f"<{len(sys.argv) - 2}" + sys.argv[1], *map(float, sys.argv[2:])))' "$@"; }
lines() { grep -E '^(min|max|sum|mean|variance|nan|median|p0.75|-0)' | tr -s ' ' | tr '\n' ' ' && echo; }
for kind in e:f16 f:f32 d:f64; do
    put ${kind%:*} 3 nan 1 -nan >some
    put ${kind%:*} nan nan >nans
    put ${kind%:*} -0 nan >zero
    put ${kind%:*} inf nan 1 >infinite
    put ${kind%:*} >none
    for file in some nans zero infinite none; do
        echo "$file $(gsort -t ${kind#*:} --stats-only --variance --quantiles median,0.75 $file | lines)"
        echo "  sorted $(gsort -t ${kind#*:} --stats --variance --quantiles median,0.75 $file -o out 2>&1 | lines)"
    done
done
# Folds of records: a group of NaNs alone stays NaN.
python3 -c '
import struct
for key, *values in (1, 2.5, "nan", 1), (2, "nan", "nan"), (3, "nan"), (4, -0.0, "nan"), (5, "inf", "nan", 1):
    for value in values:
        open("records", "ab").write(struct.pack("<qd", key, float(value)))'
gsort -R 16 -k 0:i64 -u --sum 8:f64 records -o out --stats 2>&1 | lines
gsort --head 9 -R 16 -k 0:i64 -k 8:f64 out
gsort -R 16 -k 0:i64 -u --sum 8:f64:wide records -o out
gsort --head 9 -R 24 -k 0:i64 -k 16:f64 out
