# Refuses outputs that cannot be written, and unknown fields. Conditions on fields by name: tests/model.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'] + '/../formats')
import npy
npy.write('a.npy', "[('price', '<f8')]", [1, 2], struct.Struct('<d').pack)
P
gsort -m -k price --where 'price>=1.5' a.npy a.npy --zstd -o packed.npy.zst || echo exit $?
gsort -k price --where 'nothing>1' a.npy -o out.npy || echo exit $?
