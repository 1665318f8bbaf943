"""measuring.py: what the scripts here share."""
import os
import platform
import time

UNITS = {'K': 10, 'M': 20, 'G': 30, 'T': 40}


def bytes_of(text):
    """4G, or bytes."""
    return int(text[:-1]) << UNITS[text[-1]] if text[-1] in UNITS else int(text)


def drop_cache():
    """Writes are on the disk, and what is read next comes from there. Needs root."""
    os.sync()
    with open('/proc/sys/vm/drop_caches', 'w') as file:
        file.write('3')


def place():
    """The machine and the day, for reports as JSON."""
    return {'machine': platform.platform(), 'processors': os.cpu_count(), 'date': time.strftime('%Y-%m-%d')}
