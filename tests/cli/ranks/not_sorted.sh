# Quantiles without a sort are those of a sort: of files, several, packed, of pipes that fit; of records by a field; of all kinds
# of data in little memory, in three passes at most.
ranks() { python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
for q in report["quantiles"]:
    print(*q.values())' "$1"; }
same() { # ARGUMENTS: of both
    gsort "$@" -o sorted -S 64M --quantiles 0,0.001,0.5,0.987654321,1 --stats=json >with.json
    gsort "$@" --stats-only -S 11M --parallel 2 --quantiles 0,0.001,0.5,0.987654321,1 --stats=json >without.json
    ranks with.json >wanted
    ranks without.json | cmp - wanted
    [ "$(wc -l <wanted)" -eq 5 ]
    python3 -c 'import json, sys; sys.exit(not 0 < json.load(open("without.json"))["quantile_passes"] <= 3)'
}
for dist in uniform zipf few sorted nearly-sorted normal; do
    gsort-gen -d $dist -t f64 -n "$(sized 400000 150000)" -o $dist.f64 && same $dist.f64
done
same uniform.f64 few.f64 sorted.f64
same -q -t f32 uniform.f64
same --where '>0.5' normal.f64
same -R 16 -k 4:i32be --where '0:uint8<128' uniform.f64
zstd -q zipf.f64
cat zipf.f64 | gsort -t f64 --stats-only -S 300M --quantiles 0.5 --stats=json >pipe.json
gsort zipf.f64.zst --stats-only -S 300M --quantiles 0.5 --stats=json >packed.json
gsort zipf.f64 --stats-only --quantiles 0.5 --stats=json >file.json
ranks file.json >wanted
for file in pipe packed; do
    ranks $file.json | cmp - wanted
done
cat uniform.f64 | gsort -t f64 --stats-only -S 11M --quantiles 0.5,0.6,0.7 || echo exit $?
gsort --stats-only --distinct few.f64 || echo exit $?
gsort --stats-only --quantiles 0.5 -R 8 few.f64 || echo exit $?
gsort --explain --stats-only --quantiles 0.5 few.f64 || echo exit $?
gsort-gen --dist uniform --type f64 --count 3000000 -o large.f64 # whatever the sizes above
cat large.f64 | gsort -t f64 --stats-only -S 12M --raw --quantiles 0.5,0.6,0.7 - || echo exit $?
zstd -q1 large.f64
gsort --stats-only -S 22M --quantiles 0.5,0.6,0.7 large.f64.zst || echo exit $?
