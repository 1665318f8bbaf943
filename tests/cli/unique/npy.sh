# The header of a .npy file says how many elements there are: it is written last. If that is not possible, it is refused, and nothing is read or written. Headers of other outputs: tests/model.
python3 - <<'P'
import os, struct, sys
sys.path.insert(0, os.environ['CASES'] + '/../formats')
import npy
for name, descr, rows, form in (('numbers', "'<f8'", [1.5, 2, 1.5], '<d'), ('none', "'<u4'", [], '<I')):
    npy.write(name + '.npy', descr, rows, struct.Struct(form).pack)
npy.write('taken.npy', "[('count', '<u8')]", range(100), struct.Struct('<Q').pack)
npy.write('inner.npy', "[('count', [('a', '<u8')])]", range(100), struct.Struct('<Q').pack)
npy.write('comma.npy', "[('a', '<u8'), ]", range(3), struct.Struct('<Q').pack)
P
(printf before; gsort -u numbers.npy) >got
head -c 6 got && echo && tail -c +7 got >got.npy && gsort --head 9 got.npy
# Counts are a field, whatever the elements are; the first one of them if they have none that ends.
gsort -u --count comma.npy -o got.npy
gsort --head 2 --json got.npy
gsort -u --count none.npy -o got.npy
gsort --head 2 --json got.npy
printf '\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >plain.u64
gsort -u --count plain.u64 -o got.npy
gsort --head 2 --json got.npy
gsort -q -u --count plain.u64 -t u128 -o got.npy
gsort --head 2 --json got.npy
gsort -R 2 -u --count plain.u64 -o got.npy
gsort --head 2 --json got.npy
if python=$(numpy_python); then
    for file in numbers.npy comma.npy none.npy plain.u64; do
        gsort -u --count $file -o "counted.$file.npy"
    done
    "$python" "$CASES/../formats/npy.py" check counted.*.npy
else
    skip_part "read by NumPy" "no NumPy"
fi
set +e
gsort -u numbers.npy | wc -c
gsort -u numbers.npy -o got.npy.zst || echo "exit $?, $(find . -name got.npy.zst | wc -l) files"
gsort -u numbers.npy --zstd >got.zst || echo "exit $?, $(stat -c %s got.zst) bytes"
gsort -u --count numbers.npy | wc -c
gsort -u --count taken.npy -o got2.npy || echo "exit $?, $(find . -name got2.npy | wc -l) files"
gsort -u --count inner.npy -o got2.npy || echo "exit $?, $(find . -name got2.npy | wc -l) files"
