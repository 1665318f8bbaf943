"""measuring.py: shared by the scripts of this folder: alternating runs, cold caches, memory limits, medians."""
import contextlib
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

UNITS = {'K': 10, 'M': 20, 'G': 30, 'T': 40}


class Failed(Exception):
    """A case cannot be measured; the text says why."""


@dataclass
class Sample:
    """One command: its time, the processors' time of it and its children, the largest process."""
    seconds: float
    user: float
    system: float
    peak_bytes: int
    output: str

    @property
    def processor_seconds(self):
        return self.user + self.system


def bytes_of(text):
    """Returns the bytes of '4G', or of a plain number."""
    return int(text[:-1]) << UNITS[text[-1]] if text[-1] in UNITS else int(text)


def drop_cache():
    """Writes everything to the disk and empties the page cache. Needs root."""
    os.sync()
    with open('/proc/sys/vm/drop_caches', 'w') as file:
        file.write('3')


def timed(command, then=None, **options):
    """Runs a command and returns its Sample. Its output is stdout, with stderr unless that is redirected. `then`: called before the clock stops.

    Raises Failed if the command fails; what it started alone counts, so this process may use as much memory as it likes."""
    options = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True, 'errors': 'replace', **options}
    begin = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], **options)
    output = child.stdout.read() if child.stdout else ''
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        lines = output.strip().split('\n')
        raise Failed(f'exit status {child.returncode}: {next((line for line in lines if "Error" in line), lines[-1])}')
    if then:
        then()
    return Sample(time.monotonic() - begin, used.ru_utime, used.ru_stime, used.ru_maxrss << 10, output)


def alternate(cases, rounds, warm_ups=0):
    """Calls each function of `cases`, a dict, in turn, round by round; returns lists of what they returned, by name.

    The first rounds only warm up. A case that raises Failed is reported and left out from then on."""
    results = {name: [] for name in cases}
    for number in range(-warm_ups, rounds):
        for name in [name for name in cases if name in results]:
            try:
                result = cases[name]()
            except Failed as failure:
                print(f'{name}: {failure}', file=sys.stderr, flush=True)
                del results[name]
                continue
            if number >= 0:
                results[name].append(result)
    return results


def spread(values, form='.3g'):
    """Returns 'median (least – most)'."""
    return f'{statistics.median(values):{form}} ({min(values):{form}} – {max(values):{form}})'


@contextlib.contextmanager
def memory_limit(limit_bytes):
    """Yields a preexec_fn that puts a child into a control group of so much memory, or under RLIMIT_DATA where none can be made."""
    group = None
    for base, name in (('/sys/fs/cgroup/memory', 'memory.limit_in_bytes'), ('/sys/fs/cgroup', 'memory.max')):
        folder = os.path.join(base, f'gsort-peers-{os.getpid()}')
        try:
            os.mkdir(folder)
            with open(os.path.join(folder, name), 'w') as file:
                file.write(str(limit_bytes))
            group = folder
            break
        except OSError:
            if os.path.isdir(folder):
                os.rmdir(folder)

    def enter():
        if group is None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))
        else:
            with open(os.path.join(group, 'cgroup.procs'), 'w') as file:
                file.write(str(os.getpid()))
    try:
        yield enter
    finally:
        if group is not None:
            os.rmdir(group)


def place():
    """Returns the machine and the date, for reports as JSON."""
    with open('/proc/cpuinfo') as file:
        names = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
    return {'machine': platform.platform(), 'processor': names[0] if names else 'unknown', 'processors': os.cpu_count(),
            'kernel': platform.release(), 'date': time.strftime('%Y-%m-%d')}
