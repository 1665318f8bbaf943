# --check with a report counts elements and duplicates, across windows and files, and sums up records of 100 bytes as
# valsort does: Python's sum of their CRC-32s. Without a report it says nothing.
python3 - "$(sized 12 4)" <<'P'
import random, struct, subprocess, sys, zlib, json
random.seed(7)
def run(*arguments):
    return subprocess.run(['gsort', '-c', *arguments], capture_output=True, text=True, check=True)
def check(names, options, elements, key):
    """In order, in these files."""
    report = json.loads(run('--stats=json', *options, *names).stdout)
    duplicates = sum(key(a) == key(b) for a, b in zip(elements, elements[1:]))
    assert int(report['tally']['count']) == len(elements)
    assert int(report['duplicate_count']) == duplicates, (report['duplicate_count'], duplicates, options)
    has_checksum = len(elements[0]) == 100 if elements else '100' in options
    checksum = '%x' % sum(map(zlib.crc32, elements)) if has_checksum else None
    assert report['valsort_checksum'] == checksum, (report['valsort_checksum'], checksum, options)
    text = run('--stats', *options, *names)
    assert text.stdout == '' and 'duplicate %d key' % duplicates in text.stderr
    assert ('checksum  %s, as' % checksum in text.stderr) == has_checksum
    verbose = run('-v', *options, *names)
    assert 'duplicate %d key' % duplicates in verbose.stderr
    for quiet in [], ['--stats=none'], ['-q']:
        silent = run(*quiet, *options, *names)
        assert silent.stdout + silent.stderr == ''
def put(elements):
    names, cuts = [], sorted(random.randrange(len(elements) + 1) for i in range(random.randrange(4)))
    for begin, end in zip([0] + cuts, cuts + [len(elements)]):
        names.append('f%d' % len(names))
        open(names[-1], 'wb').write(b''.join(elements[begin:end]))
    return names
ways = [[], ['--window', '24K'], ['--window', '16K', '--io', 'threads', '--parallel', '3']]
for round in range(int(sys.argv[1])):
    n = random.choice([0, 1, 2, 30000])
    most = random.choice([1, 5, 20000, 1 << 31])
    values = sorted(random.randrange(most) for i in range(n))
    for type, code in ('u32', 'I'), ('u64', 'Q'), ('u128', '16s'):
        elements = [struct.pack('<' + code, value.to_bytes(16, 'little') if type == 'u128' else value) for value in values]
        check(put(elements), ['-t', type] + ways[round % 3], elements, lambda element: element)
    for length in 99, 100:
        records = [b'%010d' % value + random.randbytes(length - 10) for value in values[:3000]]
        check(put(records), ['-R', str(length), '-k', '0:b10'] + ways[round % 3], records, lambda record: record[:10])
# The sum is no shorter than it is: leading zeros only are left out, and of nothing it is 0.
open('none', 'wb')
assert json.loads(run('--stats=json', '-R', '100', 'none').stdout)['valsort_checksum'] == '0'
P
