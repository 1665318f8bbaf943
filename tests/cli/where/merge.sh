# A merge filters its inputs: elements that are left out may be in any order. Kept elements: tests/model.
gsort-gen -d sorted -t u64 -n 30000 -o a.u64
gsort-gen -d sorted -t u64 -n 20000 -o b.u64
cat b.u64 a.u64 >ab.u64
gsort -m --where '==0' ab.u64 -o none.u64
gsort -m ab.u64 -o none.u64 2>/dev/null || echo exit $?
gsort -m --where '<9000000000000000000' ab.u64 -o none.u64 || echo exit $?
# Elements that are left out at the ends of a file say nothing about the bytes that keys share.
python3 - <<'P'
record = lambda key, is_kept: key.ljust(16, b'x') + bytes([is_kept]) + b'.' * 7
kept = [b'A90000', b'A90001', b'A90002']
open('q1', 'wb').write(record(b'B00000', 0) + b''.join(record(key, 1) for key in kept) + record(b'B99998', 1) + record(b'B99999', 0))
open('q2', 'wb').write(b''.join(record(b'B%05d' % i, 1) for i in range(3000)))
P
for way in "" "--top 2" -u "-u --top 2"; do
    # shellcheck disable=SC2086
    gsort -R 24 -k 0:b16 --where '16:uint8==1' -m $way q1 q2 | cmp - <(gsort -R 24 -k 0:b16 --where '16:uint8==1' $way q1 q2)
done
