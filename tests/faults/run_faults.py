#!/usr/bin/env python3
"""run_faults.py: lets every call of every kind fail once, in jobs of all kinds under gsort-faults (faults.h).

    run_faults.py BIN [--full] [--samples N] [--signals N] [--jobs N] [--part I/N] [--plan NAME] [--plans I/N]
                      [--kind NAME] [--seed S] [--numbers]

For each plan, engine and kind of call, the job runs several times: the first, the second, .. call fails; all calls from
there on fail; or SIGKILL, SIGINT or SIGTERM arrives at that call. Without --full, N calls of each kind are tried. SIGKILL,
SIGINT and SIGTERM also arrive at N random times each (--signals). --part I/N does every N-th of these runs, I from 1 on.
--jobs runs so many at a time, by default one per processor. --plans I/N does every N-th plan and engine; GS_TEST_THIRD=I is
--plans I/3.
After each run:

    - it ended, with exit status 0 and the right output, or 2 or 3 (4 where data went missing),
      or by the signal, and no later than SIGNAL_S after it
    - on stderr is one line, which begins "gsort: " and names a file, an option or memory, and the reason
    - the old output is untouched, or the new one is whole and that line says so; nothing else is in its directory, nothing in the temporary one
    - no descriptor is left open (gsort-faults checks it), nothing leaks (under the address sanitizer)

Prints each failure with the command that repeats it, and exits with status 1. Prints nothing without failures, except with
--numbers."""
import argparse, multiprocessing, os, random, re, shutil, signal, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # leaves the folder unchanged
from fault_plans import make_data, plans

WATCHDOG_S = 60
SIGNAL_S = 5

# Kinds whose failure costs nothing but time.
HARMLESS = {'advice', 'short-read', 'short-write', 'again', 'late', 'refused'}
# Kinds for which gsort has another way at nearly every call.
FALLBACK = {'ring', 'thread'}
# Kinds that never end with "from then on", because the call is repeated for ever.
ONCE = {'again'}
# The line on stderr, if the job fails.
REASONS = {
    'memory': 'memory', 'open': 'Too many open files', 'ask': 'Input/output error', 'space': 'No space',
    'read': 'Input/output error', 'write': 'Input/output error', 'full': 'No space',
    'sync': 'Input/output error', 'place': 'Operation not permitted', 'ring': 'io_uring',
    'thread': 'Resource temporarily unavailable|threads', 'empty-read': '', 'empty-write': 'Input/output error'}
INPUT_KINDS = {'open', 'ask', 'read', 'empty-read'}  # may be said of an input: exit status 2
# The message of a failure or a signal after the output got its name. A split that fails halfway also says how many files have names.
COMPLETE = re.compile("'out[^']*'(: is complete, but| is complete| and the files of --values are complete| are complete)|files are in their places")
# A job that a signal ended says what happened to its output, and that must be true.
INTERRUPTED = re.compile(r"gsort: interrupted(?:; (?:the files of )?'[^']*'(?: and the files of --values)? "
                         r"(is complete|are complete|is unchanged|was not written))?\n")
KEPT = 'gsort: interrupted; run the same command again to continue\n'
PLACED = "gsort: interrupted; the part written into 'out' may be incomplete\n"
SPLIT = "gsort: interrupted; no file of 'out.%d' was written\n"
NAMED = re.compile(r"gsort: ((temporary file in )?'[^']+'|(?:out of )?memory: |--[a-z]+|I/O threads: )")


class Run:
    """The result of a job: exit status, streams, counts of calls, files."""


def finish(child, stdin, sent, delay_s):
    """Both streams, and the seconds from the signal, if one is sent, to the end."""
    if sent:
        try:
            return child.communicate(stdin, timeout=delay_s) + (0,)
        except subprocess.TimeoutExpired:
            child.send_signal(sent)
    begin = time.monotonic()
    try:
        streams = child.communicate(None if sent else stdin, timeout=WATCHDOG_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        streams = b'', b'(hangs)'
    return streams + (time.monotonic() - begin,)


def run_job(gsort, plan, engine, fault, place, sent=0, delay_s=0):
    """The job in a fresh folder `place`; `fault`: GSORT_FAULTS or None; `sent`: a signal after delay_s."""
    for name in ('work', 'tmp', 'work/temp', 'work/temp2'):
        os.makedirs(f'{place}/{name}')
    if plan.output is not None and plan.old is not None:
        with open(f'{place}/work/{plan.output}', 'wb') as file:
            file.write(plan.old)
    env = {'PATH': os.environ['PATH'], 'TMPDIR': place + '/tmp', 'LC_ALL': 'C', 'ASAN_OPTIONS': 'exitcode=96',
           'UBSAN_OPTIONS': 'exitcode=96', 'TSAN_OPTIONS': 'exitcode=96', 'GSORT_FAULTS_REPORT': place + '/report'}
    faults = [one for one in (plan.always, fault) if one is not None]
    if plan.by is not None:
        env['GSORT_FAULTS_BY'] = plan.by
    if 'LD_LIBRARY_PATH' in os.environ:  # programs from elsewhere bring their libraries
        env['LD_LIBRARY_PATH'] = os.environ['LD_LIBRARY_PATH']
    if faults:
        env['GSORT_FAULTS'] = ','.join(faults)
    run, known = Run(), {'temp', 'temp2', plan.output} | plan.beside | ({'kept'} if plan.keeps else set())
    known |= {'report'} if plan.has_report else set()
    child = subprocess.Popen([gsort] + plan.args + ['--io', engine, '--device', 'cpu'], cwd=place + '/work', env=env,
                             stdin=subprocess.PIPE if plan.stdin is not None else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout, run.stderr, run.seconds = finish(child, plan.stdin, sent, delay_s)
    run.code = child.returncode
    run.stderr = run.stderr.decode(errors='replace')
    run.fired, run.calls = None, {}
    lines = open(place + '/report').read().split('\n') if os.path.exists(place + '/report') else ['']
    if lines[0] and run.code != -signal.SIGKILL:  # which may happen while it is written
        run.fired = int(lines[0].split()[1])
        run.calls = {name: int(count) for name, count in (line.split() for line in lines[1:-1])}
    run.output, run.left = plan.essence(run.stdout), []
    if plan.output is not None:
        path = f'{place}/work/{plan.output}'
        run.output = open(path, 'rb').read() if os.path.exists(path) else None
    for folder in ('work', 'tmp', 'work/temp', 'work/temp2'):
        run.left += [(folder, name) for name in os.listdir(f'{place}/{folder}')
                     if folder != 'work' or name not in known]
    run.again = None
    if plan.keeps and os.path.exists(place + '/work/kept') or plan.place and run.code != plan.code:
        run.again = run_again(gsort, plan, engine, place, env)
    return run


def run_again(gsort, plan, engine, place, env):
    """Continues a job that was stopped. Returns its output, and a description of what is wrong."""
    env.pop('GSORT_FAULTS', None)
    run = subprocess.run([gsort] + plan.args + ['--io', engine], cwd=place + '/work', env=env, timeout=WATCHDOG_S,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wrong = run.stdout.decode(errors='replace') if run.returncode != 0 else ''
    if os.path.exists(place + '/work/kept'):
        wrong += f" 'kept' is still there: {os.listdir(place + '/work/kept')}"
    return open(f'{place}/work/{plan.output}', 'rb').read(), wrong


def are_second_names(plan, run, want, place):
    """Returns whether all remaining files are complete outputs with temporary names. SIGKILL between the link and the rename at
    the very end leaves such files."""
    for folder, name in run.left:
        found = re.fullmatch(r'\.(.+)\.gsort-\w{6}', name)
        if found is None or found[1] not in {plan.output} | plan.beside or \
                found[1] == plan.output and open(f'{place}/{folder}/{name}', 'rb').read() != want:
            return False
    return 0 < len(run.left) <= 1 + len(plan.beside)


def is_true_of(said, plan, run, want):
    if said is None or said[1] is None or plan.output is None:
        return said is not None
    wanted = {'is complete': want, 'are complete': want, 'is unchanged': plan.old, 'was not written': None}[said[1]]
    return run.output == wanted


def problem(plan, kind, sent, run, model, place):
    """Returns what is wrong with the end of the job, or None. sent: the signal it was sent, or 0."""
    want = model.output
    if run.stderr == '(hangs)':
        return f'hangs: {WATCHDOG_S} s'
    if kind == 'time' and run.seconds > SIGNAL_S:
        return f'ended {run.seconds:.1f} s after the signal'
    is_last_moment = (sent == signal.SIGKILL or 'the others are named' in run.stderr) and are_second_names(plan, run, want, place)
    if run.left and not is_last_moment:
        return f'left behind: {run.left}'
    is_whole = run.output == want
    if run.again is not None and run.code == plan.code:
        return 'succeeds, and leaves what it kept'
    if run.again is not None and run.again != (want, ''):
        return f'what it kept is not gone on with: {run.again[1]}'
    if run.code == plan.code:
        if run.stderr != model.stderr:
            return f'succeeds, but says: {run.stderr}'
        return None if is_whole else 'succeeds with a wrong output'
    if plan.output is not None and run.output != plan.old and not plan.place:
        if not is_whole:
            return 'fails and the output is not the old one'
        if sent != signal.SIGKILL and not COMPLETE.search(run.stderr):
            return f'fails and does not say that the output is complete: {run.stderr!r}'
    if plan.stdin is not None and plan.output is None and not want.startswith(run.output):
        return 'fails, and what it wrote is not how the output begins'
    if sent:
        said = {'', model.stderr} | ({KEPT} if plan.keeps else {PLACED} if plan.place else {SPLIT} if plan.beside else set())
        is_said = run.stderr in said or is_true_of(INTERRUPTED.fullmatch(run.stderr), plan, run, want)
        return None if run.code == -sent and is_said else f'exit {run.code}: {run.stderr}'
    if kind in HARMLESS:
        return f'should not fail; exit {run.code}: {run.stderr}'
    allowed = {3} | ({2} if kind in INPUT_KINDS else set()) | ({4} if kind == 'empty-read' else set())
    if run.code not in allowed:
        return f'exit {run.code}: {run.stderr}'
    if run.stderr.count('\n') != 1 or not NAMED.match(run.stderr):
        return f'no line that names something: {run.stderr!r}'
    if not re.search(REASONS[kind], run.stderr):
        return f'another reason: {run.stderr!r}'
    return None


def sample(count, limit, rng):
    """Calls to fail, of 1..count: the first, some, and the last, where ends are that are no whole pages."""
    if count <= limit:
        return list(range(1, count + 1))
    first, last = limit // 3, min(limit // 2, 1)
    some = sorted(rng.sample(range(first + 1, count + 1 - last), limit - first - last))
    return list(range(1, first + 1)) + some + [count] * last


def faults_of(plan, kind, n, with_signals, rng):
    """(GSORT_FAULTS, signal) of the n-th call of a kind. Files that have names outlive SIGKILL."""
    yield f'{kind}:{n}', 0
    if kind not in ONCE:
        yield f'{kind}:{n}+', 0
    if with_signals and kind not in HARMLESS:
        ends = [rng.choice([signal.SIGINT, signal.SIGTERM])] + ([signal.SIGKILL] if plan.always is None else [])
        for sent in ends:
            yield f'{kind}:{n}={int(sent)}', sent


def direct_folder():
    """Returns a folder where direct I/O is possible; else None."""
    for folder in (tempfile.gettempdir(), '/var/tmp', '.'):
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_DIRECT))
            return os.path.abspath(folder)
        except OSError:
            pass
    return None


class Sweep:
    """All runs to try. Workers are forked from it after the models were made. A worker gets a task and returns counts."""

    def __init__(self, gsort, roots, seed, with_signals):
        self.gsort, self.roots, self.rng = gsort, roots, random.Random(seed)
        self.with_signals = with_signals
        self.jobs, self.place_count = [], 0

    def run(self, plan, engine, fault, sent=0, delay_s=0):
        self.place_count += 1
        place = f'{self.roots[plan.on_disk]}/{os.getpid()}.{self.place_count}'
        return run_job(self.gsort, plan, engine, fault, place, sent, delay_s), place

    def time(self, plan, engine):
        """A fault-free run, with how long it took."""
        begin = time.monotonic()
        run, place = self.run(plan, engine, None)
        run.seconds = time.monotonic() - begin
        shutil.rmtree(place)
        return run

    def add_job(self, plan, engine):
        """With its fault-free run: the output to expect, and how often each kind is called. Not where this
        machine has no such engine."""
        run = self.time(plan, engine)
        if engine == 'uring' and 'refuses io_uring' in run.stderr:
            return
        if run.code != plan.code:
            sys.exit(f'{plan.name} fails without any fault: {run.stderr}')
        self.jobs.append((plan, engine, run))

    def call_tasks(self, kinds, limit):
        """Faults of all jobs, and signals at their calls."""
        for idx, (plan, _, model) in enumerate(self.jobs):
            for kind in kinds or model.calls:
                if plan.always is not None and plan.always.startswith(kind + ':'):
                    continue
                for n in sample(model.calls[kind], limit, self.rng):
                    for fault, sent in faults_of(plan, kind, n, self.with_signals, self.rng):
                        yield idx, kind, fault, sent, None

    def time_tasks(self, count):
        """Signals at times that are random over a little more than the whole job, as it is then."""
        indexes = [idx for idx, job in enumerate(self.jobs) if job[0].always is None]
        for i in range(count):
            for sent in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
                yield indexes[i % len(indexes)], 'time', None, sent, 1.1 * self.rng.random()

    def attempt(self, task):
        """Returns the kind, the signal, whether it arrived, and whether the job failed. Then follow the seconds from the signal to
        the end, and a description of what is wrong."""
        idx, kind, fault, sent, part = task
        plan, engine, model = self.jobs[idx]
        if part is None:
            run, place = self.run(plan, engine, fault)
            fired = run.fired is None or run.fired > 0  # no report: killed, or worse
        else:
            delay_s = part * self.time(plan, engine).seconds
            fault = f'{int(sent)} after {delay_s:.4f} s'
            run, place = self.run(plan, engine, None, sent, delay_s)
            fired = run.code == -sent
        wrong = problem(plan, kind, sent, run, model, place)
        if wrong:
            wrong = (f'FAILED {plan.name}, {fault}: {wrong.strip()}\n    (cd {place}/work; {f"GSORT_FAULTS_BY={plan.by} " if plan.by else ""}GSORT_FAULTS={fault} '
                     f'{self.gsort} {" ".join(plan.args)} --io {engine})')
        else:
            shutil.rmtree(place)
        return kind, sent, fired, run.code != plan.code, run.seconds if kind == 'time' else 0, wrong


class Count:
    def __init__(self):
        self.faults, self.failed, self.kills, self.stops, self.not_met = 0, 0, 0, 0, 0

    def add(self, sent, fired, failed):
        self.faults += fired and not sent
        self.failed += fired and not sent and failed
        self.kills += fired and sent == signal.SIGKILL
        self.stops += fired and sent not in (0, signal.SIGKILL)
        self.not_met += not fired

    def line(self, name):
        return (f'{name:12} {self.faults:7} faults, {self.failed:7} made the job fail; {self.kills:6} SIGKILL, '
                f'{self.stops:6} SIGINT or SIGTERM')


class Result:
    def __init__(self):
        self.begin = time.monotonic()
        self.counts, self.all = {}, Count()
        self.longest_s, self.problem_count = 0, 0

    def add(self, kind, sent, fired, failed, seconds, wrong):
        for count in (self.counts.setdefault(kind, Count()), self.all):
            count.add(sent, fired, failed)
        if sent != signal.SIGKILL:
            self.longest_s = max(self.longest_s, seconds)
        if wrong:
            self.fail(wrong)

    def fail(self, text):
        self.problem_count += 1
        print(text, flush=True)

    def check(self):
        """A kind of call that is never met, or never makes a job fail, is a hole in the net."""
        for kind in sorted(HARMLESS | set(REASONS)):
            count = self.counts.get(kind, Count())
            if count.faults == 0:
                self.fail(f'FAILED {kind}: no call of that kind fails')
            elif count.failed == 0 and kind not in HARMLESS | FALLBACK:
                self.fail(f'FAILED {kind}: no call of that kind makes a job fail')

    def print(self, jobs):
        for kind, count in sorted(self.counts.items()):
            print(count.line(kind if kind != 'time' else 'any time'))
        print(self.all.line('all'))
        print(f'{self.all.not_met} calls or times were not met; {self.problem_count} problems; {jobs} jobs at a time, '
              f'{time.monotonic() - self.begin:.0f} s')
        print(f'{1000 * self.longest_s:.0f} ms at most from SIGINT or SIGTERM at any time to the end', flush=True)


sweep = None  # of this process, or of the one that it was forked from


def work(task):
    return sweep.attempt(task)


def begin_worker():
    """A handler, so that jobs do not inherit that the signal is ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: os._exit(128 + number))


def stop(number, frame):
    """End by way of what cleans up, once."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def part(text):
    """I/N as a slice."""
    i, n = (int(number) for number in text.split('/'))
    if not 1 <= i <= n:
        raise ValueError
    return slice(i - 1, None, n)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('bin')
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--samples', type=int, default=6)
    parser.add_argument('--plan', action='append')
    parser.add_argument('--kind', action='append')
    parser.add_argument('--seed', type=int, default=int(os.environ.get('GS_TEST_SEED', 1)))
    parser.add_argument('--signals', type=int, default=0)
    parser.add_argument('--no-signals', action='store_true')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--part', type=part, default=slice(None))
    third = os.environ.get('GS_TEST_THIRD')
    parser.add_argument('--plans', type=part, default=part(f'{third}/3') if third else slice(None))
    parser.add_argument('--numbers', action='store_true')
    parser.add_argument('--keep', action='store_true')
    return parser.parse_args()


def attempt_all(options, result):
    """All that is asked for, mixed: jobs that wait for a disk run beside those that do not."""
    limit = 10**9 if options.full else options.samples
    tasks = list(sweep.call_tasks(options.kind, limit)) + list(sweep.time_tasks(options.signals))
    sweep.rng.shuffle(tasks)
    with multiprocessing.get_context('fork').Pool(options.jobs, begin_worker) as pool:
        for counted in pool.imap_unordered(work, tasks[options.part], 4):
            result.add(*counted)
        pool.close()  # to be ended while they hold the lock of their queue would leave others waiting for it
        pool.join()
    if limit > 0 and not options.plan and not options.kind and options.plans == slice(None):
        result.check()


def check_that_calls_are_reached(gsort, data):
    """Else plans `by` a call would do the program's own job, and pass."""
    done = subprocess.run([gsort, data + '/x.u64', '-o', '/dev/null'], env=dict(os.environ, GSORT_FAULTS_BY='nobody'),
                          capture_output=True, text=True)
    if done.returncode != 2 or 'GSORT_FAULTS_BY' not in done.stderr:
        sys.exit(f'GSORT_FAULTS_BY reaches nothing: exit {done.returncode}: {done.stderr}')


def main():
    global sweep
    options = parse()
    gsort = os.path.abspath(options.bin + '/gsort-faults')
    # In memory, where there is a file system there, most jobs take a few milliseconds; the others are on a disk.
    fast = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    if not fast:
        print('skipped a file system in memory: no /dev/shm to write to')
    direct = direct_folder()
    if not direct:
        print('skipped direct I/O: no folder to write to where it is possible')
    roots = [tempfile.mkdtemp(prefix='gsort-faults.', dir=folder) for folder in (fast, direct)]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs would inherit that it is ignored
    signal.signal(signal.SIGTERM, stop)
    sweep, result = Sweep(gsort, roots, options.seed, not options.no_signals), Result()
    try:
        data = roots[0] + '/data'
        os.mkdir(data)
        make_data(gsort, data)
        check_that_calls_are_reached(gsort, data)
        jobs = [(plan, engine) for name, plan in plans(data).items() if not options.plan or name in options.plan
                for engine in plan.engines]
        for plan, engine in jobs[options.plans]:
            sweep.add_job(plan, engine)
        attempt_all(options, result)
    finally:
        if options.numbers:
            result.print(options.jobs)
        if not (options.keep and result.problem_count):
            for root in roots:
                shutil.rmtree(root, ignore_errors=True)
    sys.exit(1 if result.problem_count else 0)


if __name__ == '__main__':
    main()
