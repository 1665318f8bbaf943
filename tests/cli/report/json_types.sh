# One rule for JSON: a field of a report or a plan has one type, whatever its value. For JSON lines see print/json.sh.
python3 - <<'P'
import json, struct, subprocess
types = {}
def walk(kind, path, value):
    if isinstance(value, dict):
        for name in value:
            walk(kind, f'{path}.{name}', value[name])
    elif isinstance(value, list):
        for item in value:
            walk(kind, f'{path}[]', item)
    elif value is not None:
        name = 'number' if type(value) in (int, float) else type(value).__name__
        types.setdefault((kind, path), {})[name] = value
def run(*words, data=b''):
    with open('x', 'wb') as file:
        file.write(data)
    return subprocess.run(['gsort', *words, 'x'], capture_output=True, check=True).stdout.decode()
FIGURES = ['--quantiles=0,0.3,1', '--histogram=3', '--stats=json', '--stats-only']
NAN, INF = float('nan'), float('inf')
CASES = {'u32': ('I', [0, 5, 2**32 - 1]), 'u64': ('Q', [0, 2**53 + 1, 2**64 - 1]), 'i64': ('q', [-2**63, 0, 7]),
         'f32': ('f', [0.5, NAN, INF, -0.0, 3]), 'f64': ('d', [1, 1e300, -INF, NAN, 2**60]), 'time64': ('q', [-2**63, 0, 5])}
for name, (code, values) in CASES.items():
    for some in values[:1], values[1:], values, []:
        data = struct.pack(f'<{len(some)}{code}', *some)
        for figures in FIGURES, [*FIGURES, '--variance']:
            walk('report', '', json.loads(run('-t', name, *figures, data=data)))
        walk('plan', '', json.loads(run('-t', name, '--explain', '--stats=json', '-o', '/dev/null', data=data)))
        records = b''.join(struct.pack(f'<{code}3s', value, bytes([value == value, 65, 0])) for value in some)
        size = struct.calcsize(f'<{code}3s')
        keys = ['-R', str(size), '-k', f'0:{name}', '-k', f'{size - 3}:b3']
        walk('report', '', json.loads(run(*keys, '--stats=json', '-o', '/dev/null', data=records)))
# Counts of any size: as many as are asked for.
for top in 1, 2**53 + 1, 2**64 - 1:
    report = json.loads(run('-t', 'u64', f'--top={top}', '--stats=json', '-o', '/dev/null', data=bytes(16)))
    walk('report', '', report)
    assert report['top_count'] == top, report
for key, found in types.items():
    assert len(found) == 1, (key, found)
wanted = {('report', '.tally.min'): 'str', ('report', '.tally.sum'): 'str',
          ('report', '.tally.count'): 'number', ('report', '.tally.mean'): 'str', ('report', '.quantiles[].value'): 'str',
          ('report', '.seconds'): 'number', ('report', '.histogram[].count'): 'number', ('plan', '.plan.is_merge'): 'bool'}
for key, name in wanted.items():
    assert [*types[key]] == [name], (key, types[key])
P
