# A type without an order of bytes is in that of the machine, and the output's header says so; --out-order says another one.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'])
import npy
npy.write('plain.npy', "'i4'", [3, -1, 2], struct.Struct('<i').pack)
npy.write('want.npy', "'i4'", [-1, 2, 3], struct.Struct('<i').pack)
npy.write('want_big.npy', "'>i4'", [-1, 2, 3], struct.Struct('>i').pack)
P
gsort plain.npy -o got.npy
cmp got.npy want.npy
gsort --out-order=big plain.npy -o got.npy
cmp got.npy want_big.npy
gsort plain.npy --stats-only --stats=json | grep '"type'
gsort want_big.npy --stats-only | grep -E 'type|field'
