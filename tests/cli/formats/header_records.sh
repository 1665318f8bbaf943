# Records behind a header: a table with a title line.
python3 - <<'P'
import random
random.seed(7)
rows = [b'%06d %04d\n' % (random.randrange(1000000), i) for i in range(9999)]
open('table', 'wb').write(b'number row\n' + b''.join(rows))
open('want', 'wb').write(b'number row\n' + b''.join(sorted(rows, key=lambda row: row[:6])))
P
for way in "" "--spill always" "-S 16M --chunk 64K --window 16K --spill always"; do
    gsort -R 12 -k 0:b6 --header 11 table -o got $way
    cmp got want || echo "$way"
    gsort -R 12 -k 0:b6 --header 11 $way <table | cmp - want || echo "standard output: $way"
    cat table | gsort -R 12 -k 0:b6 --header 11 $way --zstd | gsort -R 12 -k 0:b6 --header 11 | cmp - want || echo "$way"
done
