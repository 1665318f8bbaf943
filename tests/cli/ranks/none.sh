# Quantiles and bins of nothing: null and a line, not silence. Without elements, and where all are NaNs.
: >empty.f64
python3 -c "import struct; open('nan.f64', 'wb').write(struct.pack('<3d', *[float('nan')] * 3))"
head -c 16 nan.f64 >nan.rec
for file in empty.f64 nan.f64; do
    for way in "--stats-only" "-o out.f64" "-u -o out.f64"; do
        for figures in "--quantiles 0.5,median" "--histogram 4"; do
            echo "-- $file $way $figures"
            gsort $file $way $figures --stats 2>&1 | grep -E "^(p0|median|histogram)" || :
            gsort $file $way $figures --stats=json:report
            python3 -c "import json; r = json.load(open('report')); print(*[list(q.values())[1:] == [None] * 3 for q in r['quantiles']], len(r['histogram']))"
        done
    done
done
gsort -R 16 -k 0:f64 empty.f64 -o out --quantiles 0.25 --stats 2>&1 | grep -E "^(ranks|p0)"
gsort -R 16 -k 0:f64 nan.rec --stats-only --quantiles 0.25 | grep -E "^(ranks|p0)"
cat empty.f64 | gsort -t u32 --quantiles 1 2>&1 | grep ^p1
