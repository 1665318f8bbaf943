"""Sets, sorted by Python."""
import struct
import subprocess


def nodes(*names):
    values = []
    for name in names:
        with open(name, 'rb') as file:
            data = file.read()
        values += struct.unpack(f'<{len(data) // 8}Q', data)
    return values


written = nodes('node.0', 'node.1')
wanted = sorted(set(written))
assert 1000 < len(wanted) < len(written)
assert nodes('nodes') == wanted
assert nodes('one') == sorted(set(nodes('node.0')))
low, high = 1100000000 << 32, 1100100000 << 32
found = subprocess.run(['gsort', '-t', 'u64', '--find', f'{low}..{high}', 'nodes'], capture_output=True, check=True, text=True).stdout
within = [i for i, node in enumerate(wanted) if low <= node <= high]
assert found == f'{within[0]}:{len(within)}\n' and len(within) > 1
