#!/usr/bin/env python3
"""Checks that no verb or width costs much more than a sort of u64. More memory must never lose a fast path.

    bounded_cost.py BIN          BIN: the folder of gsort-faults, which counts calls, and BIN/../bin with gsort
    bounded_cost.py BIN --update removes what does not fail any more from the list of known failures

Each verb runs for elements of 1 to 16 bytes, with and without --resume, in little memory. It may make four times the syncs,
writes and runs of a sort of u64, or four times LEAST if that is more. Plans (--explain) are compared over sizes, threads and -S.
With more memory no plan may have more merge passes or more spilled bytes. The file cost_known.txt lists today's failures. The list
may only shrink. A failure that is not in it fails the test. So does a line that does not fail any more. Counts vary a little
with the speed of threads. So a line that needs between three and four times as much may be in the list or not.
GS_TEST_THIRD=I takes every third element, from the I-th on."""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = os.path.join(HERE, 'cost_known.txt')
SIZE, TIMES, NEARLY, LEAST = 6 << 20, 4, 3, 16
NUMBERS = {1: 'uint8', 2: 'u16', 4: 'u32', 8: 'u64', 16: 'u128'}
VERBS = {'sort': '', 'reverse': '-r', 'unique': '-u', 'count': '-u --count', 'top': '--top 100000', 'argsort': '--argsort',
         'split': '--split 3 -o out.%d', 'merge': '-m', 'stats': '--stats-only', 'check': '--check'}
MIB = 1 << 20
THIRD = '' if '--update' in sys.argv else os.environ.get('GS_TEST_THIRD')


def run_job(gsort, top, options, name):
    """Counts of syncs, writes and runs, or None where the job is refused."""
    with tempfile.TemporaryDirectory(dir=top) as folder:
        command = [gsort, *options, '-q', '--drop-tail', '-S', '11M', '--parallel', '2', '--io', 'threads', '--stats=json:report',
                   f'../{name}']
        done = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              env={**os.environ, 'GSORT_FAULTS_REPORT': f'{folder}/counts'}, timeout=300)
        if done.returncode == 2:
            return None
        if done.returncode not in (0, 1):
            sys.exit(f'{" ".join(command)}: exit {done.returncode}: {done.stderr.decode()}')
        with open(f'{folder}/counts', encoding='ascii') as file:
            counts = dict(line.split() for line in file)
        with open(f'{folder}/report', encoding='utf-8') as file:
            runs = json.load(file)['run_count'] or 0
        return {'syncs': int(counts['sync']), 'writes': int(counts['write']), 'runs': runs}


def cost_failures(gsort, top):
    with open(f'{top}/data', 'wb') as file:
        file.write(b''.join(os.urandom(1 << 20) for _ in range(SIZE >> 20)))
    with open(f'{top}/zeros', 'wb') as file:  # in order, for what reads sorted files
        file.write(bytes(SIZE))
    jobs = []
    for resume in ('', '--resume dir'):
        for verb, options in VERBS.items():
            words = (options + ('' if verb in ('stats', 'check') or '-o' in options else ' -o out') + ' ' + resume).split()
            elements = [f'-t {kind}' for kind in NUMBERS.values()] + [f'-R {width}' for width in range(1, 17)]
            elements = sorted({'-t u64', *elements[int(THIRD) - 1::3]}) if THIRD else elements
            jobs += [(f'{verb} {element} {resume}'.strip(), resume, element.split() + words,
                      'zeros' if verb in ('merge', 'check') else 'data') for element in elements]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        counts = list(pool.map(lambda job: run_job(gsort, top, job[2], job[3]), jobs))
    known = {job[0]: count for job, count in zip(jobs, counts)}
    failures, near, ran = set(), set(), 0
    for (name, resume, _, _), count in zip(jobs, counts):
        if count is None:
            continue
        ran += 1
        model = known[f'sort -t u64 {resume}'.strip()]
        failures |= {f'{name}: {what}' for what in model if count[what] > TIMES * max(model[what], LEAST)}
        near |= {f'{name}: {what}' for what in model if count[what] > NEARLY * max(model[what], LEAST)}
    if ran < (80 if THIRD else 250):
        sys.exit(f'only {ran} jobs ran')
    return failures, near, set(known)


def plan_of(gsort, path, size, threads, memory):
    """The plan, also one for which there is too little free space here; None where the memory is too little."""
    done = subprocess.run([gsort, '-t', 'u64', path, '-o', f'{path}.out', '--explain', '--stats=json', '--device', 'cpu', '--parallel',
                           str(threads), '-S', f'{memory}M'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout)['plan'] if done.stdout else None


def plan_failures(gsort, top):
    """Returns the plans that need more of something than a plan with less memory. It also returns plans that spill and have no
    one-pass output, if a plan with less memory has it."""
    sizes = [1, 4, 10, 24, 60, 150, 500, 1700, 6000, 20000, 100000]
    memories = [10, 12, 16, 20, 28, 40, 64, 100, 160, 256, 400, 640, 1000, 2048, 4096, 8192]
    failures, plans = set(), 0
    for size in sizes:
        path = f'{top}/sparse{size}'
        with open(path, 'wb') as file:
            file.truncate(size * MIB)
        for threads in (1, 2, 4, 16):
            least = {}
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                made = list(pool.map(lambda memory: plan_of(gsort, path, size, threads, memory), memories))
            for memory, plan in zip(memories, made):
                if plan is None:
                    if least:
                        failures.add(f'plan of {size} MiB, {threads} threads, -S {memory}M: refused')
                    continue
                plans += 1
                has = {'merge_passes': plan['merge_passes'], 'spilled_bytes': plan['spilled_bytes'],
                       'two passes': int(size <= 500 and plan['spilled_bytes'] > 0 and plan['late_bytes'] == 0)}
                for what, value in has.items():
                    if value > least.setdefault(what, value):
                        failures.add(f'plan of {size} MiB, {threads} threads, -S {memory}M: {what}')
                    least[what] = min(value, least[what])
        os.remove(path)
    if plans < 640:
        sys.exit(f'only {plans} plans were made')
    return failures


def main():
    folder = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None) as top:
        failures, near, jobs = cost_failures(f'{folder}/gsort-faults', top)
        failures |= plan_failures(f'{folder}/../bin/gsort', top)
    with open(KNOWN, encoding='ascii') as file:
        comment, *known = file.read().splitlines()
    known = set(known)
    known = {line for line in known if line.startswith('plan ') or line.split(':')[0] in jobs}
    if '--update' in sys.argv:
        known &= failures | near
        with open(KNOWN, 'w', encoding='ascii') as file:
            file.writelines(f'{line}\n' for line in (comment, *sorted(known)))
    for line in sorted(failures - known):
        print(f'costs too much: {line}')
    for line in sorted(known - failures - near):
        print(f'does not fail any more, remove it from tests/faults/cost_known.txt: {line}')
    return 1 if failures - known or known - failures - near else 0


if __name__ == '__main__':
    sys.exit(main())
