# Equal keys that fill several blocks of a file: which of them stay is the same as if they were in one. Blocks have 1536 numbers
# or fewer with --window 12K.
python3 - <<'P'
import itertools, struct
counts = [[4000, 1700, 3000, 0, 5000, 1600, 0, 1], # of each key, in each file
          [1700, 4000, 0, 3000, 0, 1, 0, 1],
          [1800, 5000, 0, 0, 1600, 1700, 2000, 1]]
files = [[(key, file << 20 | i) for key, count in enumerate(of) for i in range(count)] for file, of in enumerate(counts)]

def stays(kind, file, key, i):
    others = [of[key] for other, of in enumerate(counts) if other != file]
    if kind == 'union':
        return i >= max((of[key] for of in counts[:file]), default=0)
    if kind == 'xor':
        return sum(others) == 0
    return file == 0 and {'intersect': i < min(others), 'except': i >= sum(others), 'semi': sum(others) > 0,
                          'anti': sum(others) == 0}[kind]

def write(name, records):
    open(name + '.records', 'wb').write(b''.join(struct.pack('<II', *record) for record in records))
    open(name + '.u32', 'wb').write(b''.join(struct.pack('<I', key) for key, serial in records))

for file, records in enumerate(files):
    write(str(file), records)
for kind in 'union', 'intersect', 'except', 'semi', 'anti', 'xor':
    kept = [[record for record in records if stays(kind, file, record[0], record[1] & 0xfffff)]
            for file, records in enumerate(files)]
    write(kind, sorted(itertools.chain(*kept), key=lambda record: record[0]))
P
for set in union intersect except semi anti xor; do
    for way in "" "--window 12K" "--window 12K --parallel 1"; do
        gsort --merge=$set 0.u32 1.u32 2.u32 -o got $way
        cmp got $set.u32
        gsort -R 8 -k 0:u32 --merge=$set 0.records 1.records 2.records -o got $way
        cmp got $set.records
    done
    [ -s $set.u32 ] || echo "$set: empty"
done
