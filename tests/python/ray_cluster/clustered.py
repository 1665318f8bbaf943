"""What tests of libgsort.ray do with files and nodes."""
import os
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


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def journal_has(word, output='out'):
    try:
        return word in content(f'{output}.gsort-ray/journal')
    except OSError:
        return False
