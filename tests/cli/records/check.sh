# --check names the first disorder: file, place in it, and the key that is out of order.
python3 - <<'PY'
rows = [(i, 1000 - i, b"%06d" % i) for i in range(60000)]
pack = lambda rows: b"".join(a.to_bytes(4, "little") + (b % 65536).to_bytes(2, "big") + c for a, b, c in rows)
open("sorted", "wb").write(pack(rows))
rows[50000] = (50000, 1000 - 49999, b"049998")
open("names", "wb").write(pack(rows))
rows = [(i // 2, 7 - i % 2, b"xxxxxx") for i in range(100)]
open("pairs", "wb").write(pack(rows))
PY
gsort -R 12 -k 0:u32 --check sorted && echo sorted || echo "exit $?"
gsort -R 12 -k 6:b6 --check sorted names && echo sorted || echo "exit $?"
gsort -R 12 -k 6:b6 --check names && echo sorted || echo "exit $?"
gsort -R 12 -k 6:b6 -r --check names && echo sorted || echo "exit $?"
gsort -R 12 -k 0:u32 -k 4:u16be --check pairs && echo sorted || echo "exit $?"
gsort -R 12 -k 0:u32 -k 4:u16be:desc --check pairs && echo sorted || echo "exit $?"
gsort -R 12 --check pairs && echo sorted || echo "exit $?"
gsort -R 12 -k 6:b6 --check-quiet <names && echo sorted || echo "exit $?"
