"""The jobs of run_faults.py: one of each kind, with inputs that are the same every time."""
import random, re, struct, subprocess


class Plan:
    """One job. old: what `output` holds before (None: nothing); stdin: bytes.
    always: faults that are there in every run; code: exit status without others.
    keeps: with --resume kept: what is there after a failure is to be gone on with.
    place: the output is a place in `output`, which another run makes whole after a failure.
    beside: other files that it writes.
    has_report: it writes its report to a file, 'report', after the output has taken its place.
    by: what does it in place of gs_run (faults_embed.c)."""

    def __init__(self, name, args, on_disk=False, stdin=None, output='out', old=b'old', engines=('auto', 'threads'),
                 always=None, code=0, keeps=False, by=None, place=False,
                 beside=frozenset(), has_report=False):
        self.name, self.args, self.on_disk, self.stdin, self.output = name, args.split(), on_disk, stdin, output
        self.old, self.engines, self.always, self.code = old, engines, always, code
        self.keeps, self.by, self.place, self.beside, self.has_report = keeps, by, place, beside, has_report

    def essence(self, stdout):
        """Returns the part of standard output that is the same each time."""
        if self.name not in ('stats', 'explain'):
            return stdout
        return b''.join(re.findall(rb'^(?:elements|bytes|min|max|sum|input|runs) .*\n', stdout, re.M))


def plans(data):
    check = '--parallel 2 -S 24M'
    small = check + ' --chunk 64K'
    few = small + ' --window 16K --batch-size 4'
    passing = '-S 10M --parallel 1 --window 16K --chunk 64K --compress none'
    spill = few + ' --spill always --compress none'
    found = [
        Plan('resident', f'{data}/x.u64 -o out {small} --stats=json'),
        Plan('resident-disk', f'{data}/x.u64 -o out {small}', on_disk=True),
        Plan('mapped', f'{data}/x.u64 -o out -S 24M --parallel 8 --chunk 64K'),
        Plan('hybrid', f'{data}/large.u64 -o out -S 10M --parallel 1 --compress none'),
        Plan('in-order', f'{data}/rising.u64 -o out {passing}'),
        Plan('too-late', f'{data}/late.u64 -o out {passing}'),
        Plan('unique-too-late', f'{data}/late.u64 -u -o out {passing}'),
        Plan('stretches', f'{data}/pieces.u64 -o out {passing}'),
        Plan('spilled', f'{data}/x.u64 -o out {spill}'),
        Plan('spilled-disk', f'{data}/x.u64 -o out {spill}', on_disk=True),
        Plan('new-output', f'{data}/x.u64 -o out {spill} -T temp -T temp2', old=None),
        Plan('zstd', f'{data}/x.u64 -o out {few} --spill always --compress zstd'),
        Plan('auto', f'{data}/x.u64 -o out {few} --spill always'),
        Plan('pipes', f'-t u64 {few}', stdin=open(f'{data}/x.u64', 'rb').read(), output=None),
        Plan('pipes-spilled', f'-t u64 {spill} -T temp', stdin=open(f'{data}/x.u64', 'rb').read(), output=None),
        Plan('pipes-packed', check, stdin=open(f'{data}/packed', 'rb').read(), output=None),
        Plan('many', f'-t u64 --files0-from {data}/many -o out {small}'),
        Plan('in-place', f'-t u64 out -o out {few}', old=open(f'{data}/x.u64', 'rb').read()),
        Plan('in-place-report', f'-t u64 out -o out {few} --stats=json:report', old=open(f'{data}/x.u64', 'rb').read(), has_report=True),
        # The output ends inside a page. gsort writes that page as it is, or padded.
        Plan('odd-disk', f'{data}/odd -R 12 -k 3:u32be -o out {few}', on_disk=True),
        Plan('odd-spilled-disk', f'{data}/odd -R 4 -k 1:b3 -o out {spill}', on_disk=True),
        Plan('several', f'-t u64 --files0-from {data}/names --header 24 -o out {few}'),
        Plan('records', f'{data}/x.u64 -R 16 -k 3:u32be -k 9:b2:desc -o out {few}'),
        Plan('records-spilled', f'{data}/x.u64 -R 16 -k 3:u32be -o out {spill}'),
        Plan('unique', f'-u {data}/twice.u64 -o out {few} --spill always'),
        Plan('order-by', f'-R 16 -k 3:u32be -u --count --order-by 16:u64:desc,0:u64 {data}/x.u64 -o out {spill}'),
        Plan('where', f'-R 16 -k 3:u32be --where 0:uint8<99 --where 8:b1!=x {data}/x.u64 -o out {spill}'),
        Plan('positions', f'-R 16 -k 3:u32be --argsort --where 0:uint8<99 {data}/x.u64 -o out {spill}'),
        Plan('top', f'--top 1000 {data}/x.u64 -o out {check}'),
        Plan('top-positions', f'--top 1000 --argsort {data}/x.u64 -o out {check} --chunk 64K'),
        Plan('merge', f'-m {data}/sorted.u64 {data}/sorted.u64 -o out {check}'),
        Plan('merge-part', f'-m --range 100: --find 0x1000.. --part 2/3 {data}/sorted.u64 {data}/sorted.u64 -o out {check}'),
        Plan('merge-into', f'-m --part 2/3 {data}/sorted.u64 {data}/sorted.u64 --into out --verify read {check}', old=b'', place=True),
        Plan('split', f'{data}/x.u64 --split-at 0x8000000000000000 --verify=read -o out.%d {small}', output='out.2', beside={'out.1'}),
        Plan('split-report', f'{data}/x.u64 --split 2 -o out.%d {small} --stats=json:report', output='out.2', beside={'out.1'}, has_report=True),
        Plan('values', f'{data}/x.u64 --where <0xe000000000000000 --values {data}/x.u64:8=out.v -o out {spill}', beside={'out.v'}),
        Plan('values-report', f'{data}/x.u64 --values {data}/x.u64:8=out.v -o out {small} --stats=json:report', beside={'out.v'}, has_report=True),
        Plan('set', f'-t u64 --merge=except {data}/sorted.u64 - -o out {check} -T temp', stdin=open(f'{data}/sorted.u64', 'rb').read(80000)),
        Plan('merge-many', f'-t u64 -m --files0-from {data}/runs -o out {check} --batch-size 4'),
        Plan('zst', f'{data}/x.u64.zst -r -o out.zst {few}', output='out.zst'),
        Plan('npy', f'{data}/x.npy -o out.npy {few}', output='out.npy'),
        Plan('npy-zst', f'{data}/x.npy.zst -r -o out.npy {few}', output='out.npy'),
        Plan('packed', f'{data}/packed {check} -o out'),
        Plan('check', f'-c {data}/sorted.u64 {check}', output=None),
        Plan('disorder', f'-c {data}/sorted.u64 {data}/x.u64 {check}', output=None, code=1),
        Plan('check-records', f'-c -R 8 -k 0:u64 {data}/sorted.u64 {check}', output=None),
        Plan('stats', f'--stats-only {data}/x.u64 {check}', output=None),
        Plan('explain', f'--explain {data}/x.u64 -o out {spill}', output=None),
        Plan('named', f'{data}/x.u64 -o out {few} --spill always', always='refused:1+'),
        Plan('resume', f'{data}/x.u64 -o out {small} --window 16K --batch-size 2 --compress none --resume kept', keeps=True),
        Plan('resume-records', f'out -R 16 -k 3:u32be -o out {small} --resume kept', keeps=True,
             old=open(f'{data}/x.u64', 'rb').read()),
        Plan('resume-shuffled', f'{data}/x.u64 --shuffle=7 -o out {small} --window 16K --compress none --resume kept', keeps=True),
        Plan('permute', f'-R 16 --permute {data}/places.u64 {data}/x.u64 -o out {check} --verify=read'),
        Plan('permute-sorts', f'-R 16 --permute {data}/places.u64 {data}/x.u64 -o out --parallel 2 -S 48M --chunk 64K --spill always -T temp'),
        Plan('sorter', f'{data}/x.u64 -o out {spill} -T temp', by='sorter'),
        Plan('sorter-parts', f'{data}/x.u64 -o out {few} -T temp', by='parts'),
        Plan('array', f'{data}/x.u64 -o out {spill} -T temp', by='array'),
        Plan('array-in-place', f'{data}/large.u64 -o out --parallel 3', by='array'),
        Plan('array-small', f'{data}/x.u64 -o out', by='array'),
        Plan('argsort', f'{data}/x.u64 -o out {few} -T temp', by='argsort'),
        Plan('uring', f'{data}/x.u64 -o out {few}', engines=('uring',)),
    ]
    return {plan.name: plan for plan in found}


def make_data(gsort, data):
    """Inputs, the same every time."""
    rng = random.Random(1)
    numbers = [rng.getrandbits(64) for _ in range(32 << 10)]
    raw = struct.pack('<%dQ' % len(numbers), *numbers)
    head = b"{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % len(numbers)
    npy = b'\x93NUMPY\x01\x00v\x00' + head.ljust(117) + b'\n' + raw
    contents = {'x.u64': raw, 'large.u64': rng.randbytes(3500 << 10 & ~7), 'x.npy': npy,
                'odd': raw[:12 * (len(raw) // 12)], 'sorted.u64': struct.pack('<%dQ' % len(numbers), *sorted(numbers)),
                'a.u64': bytes(24) + raw[:80000], 'b.u64': bytes(24) + raw[80000:]}
    rising = sorted(rng.getrandbits(64) for _ in range(384 << 10))
    contents['rising.u64'] = struct.pack('<%dQ' % len(rising), *rising)
    contents['late.u64'] = contents['rising.u64'][:2 << 20] + bytes(8) + contents['rising.u64'][(2 << 20) + 8:]
    contents['pieces.u64'] = contents['rising.u64'][1 << 20:] + contents['rising.u64'][:1 << 20]
    contents['places.u64'] = struct.pack('<9000Q', *(rng.randrange(len(numbers) // 2) for _ in range(9000)))
    contents['names'] = b'%s/a.u64\0%s/b.u64\0' % (data.encode(), data.encode())
    contents['twice.u64'] = raw[:len(raw) // 2] * 2
    contents['runs'] = (data.encode() + b'/sorted.u64\0') * 9
    contents['many'] = b''.join(b'%s/many.%d\0' % (data.encode(), i) for i in range(140))
    contents.update({f'many.{i}': raw[1800 * i:1800 * i + 1800] for i in range(140)})
    for name, content in contents.items():
        with open(f'{data}/{name}', 'wb') as file:
            file.write(content)
    for args in (['x.u64', '-o', 'x.u64.zst'], ['x.npy', '-o', 'x.npy'], ['x.npy', '-o', 'x.npy.zst', '--zstd'],
                 ['x.npy', '-o', 'packed', '--zstd']):
        subprocess.run([gsort] + [data + '/' + a if a[0] in 'xp' else a for a in args], check=True)
