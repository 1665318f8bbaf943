# Options that request a figure print the report, also with -q. The report of --check has its findings, and is of all
# elements. Figures are of what their names say.
python3 - <<'P'
import json, struct, subprocess
def run(line, code=0):
    done = subprocess.run(['gsort', *line.split()], capture_output=True, text=True)
    assert done.returncode == code, (line, done)
    return done
def has(text, *names):
    assert all(any(line.startswith(name) for line in text.splitlines()) for name in names), (names, text)
keys = [4, 4, 9, 1, 7, 7, 7, 2]
records = [struct.pack('<QQ', key, 10 - i) for i, key in enumerate(keys)]
open('r', 'wb').write(b''.join(records))
open('s', 'wb').write(b''.join(sorted(records)))
open('x.u64', 'wb').write(struct.pack('<8Q', *keys))
# On standard error, whatever else is silent.
for quiet in '', '-q ':
    for option, names in [('--quantiles=0.5', ['p0.5']), ('--histogram=2', ['histogram']), ('--distinct', ['distinct']),
                          ('--mode', ['mode']), ('--variance', ['mean', 'variance'])]:
        done = run(f'{quiet}{option} x.u64 -o /dev/null')
        has(done.stderr, 'elements', *names)
        assert done.stdout == ''
    has(run(f'{quiet}-R 16 -k 0:u64 --stats-of 8:u64 r -o /dev/null').stderr, 'field     8:u64')
    has(run(f'{quiet}-R 16 -k 0:u64 -c --stats-of 8:u64 --variance s').stderr, 'field     8:u64', 'variance', 'duplicate')
    has(run(f'{quiet}-R 16 -k 0:u64 -C --variance s').stderr, 'variance')
    has(run(f'{quiet}--stats-only x.u64').stdout, 'elements', 'sum')
    assert json.loads(run(f'{quiet}--stats=json x.u64 -o /dev/null').stdout)['tally']['sum'] == '41'
# Notes are silenced: here, that the type was assumed.
assert run('--stats-only s').stderr != '' and run('-q --stats-only s').stderr == ''
# Disorder: the line, the report, exit 1.
for way in '', '--parallel 3 --window 24K', '-q':
    done = run(f'-c --stats=json {way} x.u64', 1)
    report = json.loads(done.stdout)
    assert done.stderr == 'gsort: x.u64: element 3 is out of order: 1 after 9\n', done
    assert report['disorder'] == {'index': 3, 'file_index': 0, 'file_element_index': 3, 'before': '9', 'after': '1'}, report
    assert (report['tally']['count'], report['tally']['sum'], report['duplicate_count']) == (8, '41', 3), report
report = json.loads(run('-R 16 -k 0:u64 -c -u --stats=json s', 1).stdout)
assert report['disorder']['index'] == 3 and report['tally']['count'] == 8, report
has(run('-C --stats x.u64', 1).stderr, 'elements', 'duplicate')
assert json.loads(run('-R 16 -k 0:u64 -c --stats=json s').stdout)['disorder'] is None
# How many of how many were written, whatever is written of each.
for options, text in [('-u --count --top 3', '3 of 8'), ('-u --sum 8:u64 --sum-wide --top 9', '5 of 8'),
                      ('-u --count --out 0:4 --top 2', '2 of 8'),
                      ('-u --argsort --top 9', '5 of 8'), ('--top 3', '3 of 8'), ('--out 0:4 --top 3', '3 of 8')]:
    lines = run(f'-R 16 -k 0:u64 {options} --stats r -o out').stderr.splitlines()
    assert f'top       {text} elements' in lines, (options, lines)
# Bytes are those of all that is read: beside the keys, beside the first file of a set.
open('v', 'wb').write(bytes(64))
along = '-R 16 -k 0:u64 --values v:8=v.out --top 3 r -o out'
report = json.loads(run(f'{along} --stats=json').stdout)
assert report['input_bytes'] == report['input_file_bytes'] == 192, report
has(run(f'{along} --stats').stderr, 'top       3 of 8 elements')
report = json.loads(run('-R 16 -k 0:u64 --merge=semi --stats=json s s s -o out').stdout)
assert report['input_bytes'] == report['input_file_bytes'] == 384 and report['output_bytes'] == 128, report
P
