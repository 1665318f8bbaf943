# Several arrays become one; packed ones, from pipes; and plain numbers become arrays by the output's name.
need zstd
python3 - <<'P'
import os, random, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
random.seed(3)
pack = struct.Struct('<I').pack
values = [random.getrandbits(32) for i in range(90000)]
for i, name in enumerate('abc'):
    npy.write(name + '.npy', "'<u4'", values[i * 30000:i * 30000 + 30000], pack, 1 + i)
npy.write('want', "'<u4'", sorted(values), pack)
open('want.u32', 'wb').write(b''.join(map(pack, sorted(values))))
open('in.u32', 'wb').write(b''.join(map(pack, values)))
open('w', 'wb').write(npy.header("'|V16'", 1) + bytes(range(16)))
open('r', 'wb').write(npy.header("'|V3'", 1) + b'abc')
P
gsort a.npy b.npy c.npy -o b.npy.new
cmp b.npy.new want
cat b.npy | gsort a.npy - c.npy | cmp - want
gsort <(cat a.npy) <(cat b.npy) <(cat c.npy) | cmp - want
cp a.npy kept
gsort a.npy b.npy c.npy -o a.npy
cmp a.npy want
mv kept a.npy
gsort in.u32 -o got.npy
cmp got.npy want
cat in.u32 | gsort -t u32 -o got.npy --spill always
cmp got.npy want
tail -c +129 want | gsort -t u128 --raw | cmp -s - want && echo "not raw"
printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' | gsort -t u128 -o got.npy
cmp got.npy w
printf abc | gsort -R 3 -o got.npy
cmp got.npy r
# --raw: the header is data.
gsort --raw -t u32 want.u32 -o plain.npy
cmp plain.npy want.u32
[ "$(gsort --raw a.npy -t u32 --stats-only | grep elements)" = "elements  30032" ] || echo "--raw"
zstd -q a.npy b.npy c.npy
gsort a.npy.zst b.npy.zst c.npy.zst -o got.npy.zst
zstd -qdc got.npy.zst | cmp - want
gsort a.npy b.npy.zst c.npy | cmp - want
gsort <(cat a.npy.zst) <(cat b.npy) <(cat c.npy.zst) | cmp - want
gsort in.u32 --zstd -o got.npy
zstd -qdc <got.npy | cmp - want
# The first blocks may be of any size.
(head -c 3 a.npy | zstd -q; tail -c +4 a.npy | zstd -q; cat b.npy.zst >/dev/null) >cut.npy.zst
gsort cut.npy.zst b.npy c.npy | cmp - want
