# A thread adds new keys to its buffer until its table is half full; a search in a full table would not end. With small constants
# that is 128 keys.
python3 - <<'P'
import struct
rows = [(part % 5 * 1000 + i % 200, 1) for part in range(40) for i in range(600)]
open('held', 'wb').write(b''.join(struct.pack('<II', *row) for row in rows))
rows = [(part * 1000 + i, 24) for part in range(5) for i in range(200)]
open('want', 'wb').write(b''.join(struct.pack('<II', *row) for row in rows))
P
for chunk in 16K 32K 64K; do
    timeout -k 1 20 gsort -R 8 -k 0:u32 -u --sum 4:u32 held -o out -S 64M --parallel 2 --chunk $chunk || echo "exit $?"
    cmp out want
done
