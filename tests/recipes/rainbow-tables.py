"""Python's sort, which is stable, and its dictionary."""
import struct
import subprocess


def chains(name):
    with open(name, 'rb') as file:
        return list(struct.iter_unpack('<QQ', file.read()))


wanted = sorted(chains('chains.rt'), key=lambda chain: chain[1])
assert chains('sorted.rt') == chains('records.rt') == wanted
first = {}
for start, end in chains('chains.rt'):
    first.setdefault(end, start)
assert chains('perfect.rt') == [(first[end], end) for end in sorted(first)] and 1000 < len(first) < len(wanted)
shown = subprocess.run(['gsort', '-R', '16', '-k', '8:u64', '-k', '0:u64', '--find', '4711..4721', 'sorted.rt', '--print'],
                       capture_output=True, check=True, text=True).stdout
within = [f'{end}\t{start}\n' for start, end in wanted if 4711 <= end <= 4721]
assert shown == ''.join(within) and within
