# --print: what would be written, as text: the same as --head of what is written, and of every element.
need zstd
gsort-gen --type f64 --dist specials --count "$(sized 20000 6000)" --seed 3 -o x.f64
gsort-gen --type u32 --dist zipf --count "$(sized 30000 3000)" --seed 4 -o z.u32
gsort-gen --type u64 --dist uniform --count "$(sized 6000 1500)" --seed 5 -o r # records of 24 bytes
same() { # same [OPTION]... FILE: what --print prints is what --head prints of the output
    local format
    for format in text json; do
        gsort -q "$@" --print=$format >got || echo "gsort $* --print=$format: exit $?"
        gsort -q "$@" -o "written$kind" || echo "gsort $*: exit $?"
        gsort -q $shape --head=1M --print=$format "written$kind" | cmp - got || echo "differs: $*, $format"
        [ -s got ] || echo "nothing is printed: $*"
    done
}
kind=.f64 shape=
same x.f64
same -r --top=100 x.f64
same --where='>=1' --range=100:5000 x.f64
same -u x.f64
gsort -q x.f64 -o a.f64
same -m a.f64 a.f64
same --find=0..10 a.f64
cat x.f64 | gsort -q -t f64 --print | cmp - <(gsort -q x.f64 --print)
zstd -q x.f64
gsort -q x.f64.zst --print | cmp - <(gsort -q x.f64 --print)
mkfifo fifo
cat x.f64 >fifo &
gsort -q -t f64 fifo --print | cmp - <(gsort -q x.f64 --print)
# Data that fit into a pipe are still there when the writer has ended. A plan leaves the writer waiting.
head -c 800 x.f64 >few.f64
for _ in 1 2 3 4 5; do
    cat few.f64 >fifo &
    gsort -q -t f64 fifo --explain >plan
    timeout 60 gsort -q -t f64 fifo --print | cmp - <(gsort -q few.f64 --print)
    wait $!
done
kind=.rec shape="-R 24 -k 8:u32be -k 0:f64:desc"
same $shape r
same $shape --top=7 r
shape="-R 24"
same $shape r
# Counts and positions, as other programs read them.
gsort -q -u --count z.u32 --print >got
od -An -v -w4 -tu4 z.u32 | sort -n | uniq -c | awk '{ print $2 "\t" $1 }' | cmp - got
gsort -q -u --count z.u32 --print=json | python3 -c '
import json, sys
for line in sys.stdin:
    entry = json.loads(line)
    print(entry["value"], entry["count"], sep="\t")' | cmp - got
gsort -q -u --count -R 24 -k 0:uint8 r --print=json | head -2 | sed 's/[0-9][0-9]*/N/g'
gsort -q --argsort z.u32 --print | cmp - <(gsort -q --argsort z.u32 | od -An -v -w8 -tu8 | tr -d ' ')
gsort -q --argsort=u32 --index=u64 z.u32 --print | cmp - <(gsort -q --argsort z.u32 --print)
gsort -q --argsort --index=u32 z.u32 --print | cmp - <(gsort -q --argsort z.u32 --print)
{ dd bs=4 count=2 of=/dev/null 2>dd.err && gsort -q -t u32 --print; } <z.u32 | cmp - <(tail -c +9 z.u32 | gsort -q -t u32 --print)
{ dd bs=4 count=2 of=/dev/null 2>dd.err && gsort -q -t u32 --raw --print; } <z.u32 | cmp - <(tail -c +9 z.u32 | gsort -q -t u32 --print)
{ head -c 64 /dev/zero && head -c 808 z.u32 | zstd -q; } >behind # and 8 bytes of header, packed, behind others
{ dd bs=64 count=1 of=/dev/null 2>dd.err && gsort -q -t u32 --header=8 --print; } <behind |
    cmp - <(tail -c +9 z.u32 | head -c 800 | gsort -q -t u32 --print)
head -c 802 z.u32 >tail.u32
for verb in "--print" "--head 300" "--tail 3"; do # without what is left over behind the last whole element
    gsort -q $verb --drop-tail tail.u32 | cmp - <(head -c 800 z.u32 | gsort -q -t u32 $verb)
    cat tail.u32 | gsort -q -t u32 $verb --drop-tail | cmp - <(head -c 800 z.u32 | gsort -q -t u32 $verb)
done
gsort -q --argsort=u32 z.u32 --print | cmp - <(gsort -q --argsort=u32 z.u32 | od -An -v -w4 -tu4 | tr -d ' ')
# Headers are none of it; of a .npy file the names are.
python3 - <<'P'
import struct
def npy(path, descr, data, count):
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}"
    head += ' ' * (117 - len(head)) + '\n'
    open(path, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)
npy('n.npy', "'<f8'", struct.pack('<3d', 2.5, -1, 7), 3)
npy('f.npy', "[('a', '<i4'), ('b', '>f4')]", b''.join(struct.pack('<i', a) + struct.pack('>f', b) for a, b in ((3, 1.5), (1, 2.5))), 2)
open('h', 'wb').write(b'head' + struct.pack('<3I', 9, 8, 7))
P
gsort -q n.npy --print
gsort -q f.npy -k b:desc --print=json
gsort -q -t u32 --header=4 h --print
gsort -q -t u32 --region=4:8 h --print
gsort -t u64 --print --stats </dev/null 2>&1 | grep -c elements
# So are those of pipes, packed or not, which bring what they bring slowly.
zstd -q n.npy f.npy
for file in n.npy f.npy n.npy.zst f.npy.zst; do
    gsort -q --print $file >want
    cat $file | gsort -q --print | cmp - want
    { head -c 3 && sleep 0.1 && head -c 20 && sleep 0.1 && cat; } <$file | gsort -q --print | cmp - want
    cat $file >fifo &
    gsort -q fifo --print | cmp - want
    wait $!
    cat $file | gsort -q --head=9 | cmp - <(gsort -q --head=9 $file)
    cat $file | gsort -q --tail=1 --print=json | cmp - <(gsort -q --tail=1 --print=json $file)
done
gsort -q --print <(cat n.npy) n.npy <(cat n.npy) | sort -n | uniq -c | tr -s ' '
cat n.npy | gsort -q --print - - || echo "exit $?"
cat n.npy | gsort -q --print -t u32 || echo "exit $?"
cat n.npy | gsort -q --raw -t u16be --head=1 || echo "exit $?"
# A signal ends it while its writer waits.
python3 - <<'P'
import os, signal, subprocess
read, write = os.pipe()
os.write(write, bytes(range(8)) * 99)
child = subprocess.Popen(['gsort', '-t', 'u64', '--print', '--progress=always'], stdin=read, stderr=subprocess.PIPE)
child.stderr.read(1)  # it reads
child.send_signal(signal.SIGINT)
print(child.wait(60) == -signal.SIGINT)
P
# A message says what cannot be printed, and what cannot be written.
for option in -o=y --out=0:4 --zstd --split=2 --values=r:2=v --out-order=big --drop-header --ties=bytes; do
    gsort -R 24 -k 0:u32 r --print ${option/-o=/-o } || echo "exit $?"
done
gsort -c x.f64 --print || echo "exit $?"
gsort --print=xml x.f64 || echo "exit $?"
gsort -q x.f64 --print >/dev/full || echo "exit $?"
gsort -q x.f64 --print | head -1
[ ! -e y ]
