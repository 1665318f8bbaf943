"""Functions for files and nodes that tests of libgsort.ray share."""
import os
import signal
import subprocess
import sys
import time

BIN = os.path.abspath(os.path.join(os.path.dirname(os.environ['LIBGSORT_LIBRARY']), '..', 'bin'))
os.environ['PATH'] = f"{BIN}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
LONG = bool(os.environ.get('GSORT_RAY_LONG'))

NODE = {'num_cpus': 1, 'object_store_memory': 100 << 20}


def gsort(*arguments, **how):
    subprocess.run(['gsort', '-q', *arguments], check=True, **how)


def gen(dist, type_, count, path, seed=1):
    subprocess.run(['gsort-gen', '-d', dist, '-t', type_, '-n', str(count), '--seed', str(seed), '-o', path], check=True)


def content(path):
    with open(path, 'rb') as file:
        return file.read()


WATCHDOG = 300  # seconds, after which a wait counts as endless


def until(condition):
    end = time.monotonic() + WATCHDOG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def journal_has(word, output='out'):
    try:
        return word in content(f'{output}.gsort-ray/journal')
    except OSError:
        return False


def names_of_tasks():
    """Returns the processes of Ray that run a task of a sort: process -> its parent and Ray's name of the task."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            title = content(f'/proc/{pid}/cmdline').rstrip(b'\0').decode(errors='replace')
            if title.startswith('ray::gsort '):
                found[int(pid)] = int(content(f'/proc/{pid}/stat').rpartition(b')')[2].split()[1]), title.removeprefix('ray::')
        except OSError:
            pass
    return found


def children_of(parent):
    with open(f'/proc/{parent}/task/{parent}/children', encoding='ascii') as file:
        return [int(pid) for pid in file.read().split()]


def die_at_work(cluster, node, step):
    """Kills a node while it is at a task of this step: the task has begun, is stopped there, and never ends."""
    raylet = node.all_processes['raylet'][0].process.pid
    stopped = []

    def is_at_work():
        for pid, (parent, name) in names_of_tasks().items():
            if parent == raylet and name == step:
                os.kill(pid, signal.SIGSTOP)
                if names_of_tasks().get(pid) == (parent, name):
                    stopped.append(pid)
                    return True
                os.kill(pid, signal.SIGCONT)
        return False

    until(is_at_work)
    cluster.remove_node(node, allow_graceful=False)
    os.kill(stopped[0], signal.SIGKILL)  # as all processes of a node die with it
