# More inputs than a process may have files open: in order, and in place of one of them.
python3 - <<'P'
import os, random, struct
random.seed(1)
values = random.sample(range(1 << 32), 1500 * 3)
os.mkdir('in')
with open('names', 'wb') as names:
    for i in range(1500):
        name = 'in/%04d.u32' % i
        names.write(name.encode() + b'\0')
        with open(name, 'wb') as file:
            file.write(struct.pack('<3I', *values[3 * i:3 * i + 3]))
with open('want', 'wb') as file:
    file.write(struct.pack('<4500I', *sorted(values)))
with open('steps', 'wb') as names:
    os.mkdir('sorted')
    for i in range(1500):
        name = 'sorted/%04d' % i
        names.write(name.encode() + b'\0')
        with open(name, 'wb') as file:
            file.write(struct.pack('<2I', 2 * i, 2 * i + 1))
P
ulimit -n 400
for way in "" "--io threads" "-S 12M --spill always"; do
    gsort --files0-from=names -o got $way
    cmp got want || echo "$way"
done
gsort --files0-from=steps -t u32 --check
gsort in/*.u32 -o in/0700.u32
cmp in/0700.u32 want
