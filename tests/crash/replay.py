#!/usr/bin/env python3
"""replay.py: checks power cuts after each call that changes a file. Any part of the data that are not synced may be lost. In
all cases the output is the complete old file or the complete new one, and --resume continues to the right bytes.

    replay.py BIN_DIR TESTS_DIR [--states N] [--share N] [--seed N] [--only JOB] [--keep DIR]

Each job runs once as gsort-logged, whose log (crash_log.c) has every call that changes a file. For each place in the log
there are N random choices of lost data. For each choice, replay.py builds the files that a disk could then have, and checks
them. The rules are those of POSIX, which guarantees less than any real file system does:

    a write, a new length      is kept for certain if an fsync or fdatasync of its file began after it and succeeded;
                               otherwise each block of 4 KiB is what it was after one of the writes since then
    a name (create, link,      is kept for certain if an fsync of its directory began after it; otherwise it is kept or
    rename, unlink, mkdir)     lost, and what needs a lost name is lost with it

Compare CrashMonkey (Mohan et al., OSDI 2018) and the crash tests of SQLite. A failure prints the job, the seed and the
place, which --only, --seed and --keep repeat.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

BLOCK = 4096
TEMPORARY = '.gsort-'


# ---- the log ----


class Entry:
    def __init__(self, kind, words, data):
        self.kind, self.words, self.data = kind, words, data
        self.is_durable = False

    def __str__(self):
        return ' '.join([self.kind, *map(str, self.words)])


def read_log(path):
    with open(path, 'rb') as file:
        content = file.read()
    entries, at = [], 0
    while at < len(content):
        end = content.index(b'\n', at)
        kind, _, rest = content[at:end].decode().partition(' ')
        at, data = end + 1, None
        if kind == 'rename':
            words = rest.split('\t')
        elif kind in ('create', 'mkdir', 'link'):
            inode, _, name = rest.partition(' ')
            words = [int(inode), name]
        elif kind in ('rmdir', 'unlink'):
            words = [rest]
        else:
            words = [int(word) for word in rest.split()]
        if kind == 'write':
            data, at = content[at:at + words[2]], at + words[2]
        entries.append(Entry(kind, words, data))
    return entries


def names_of(entry):
    """Returns the paths whose parent directories an entry of the log changes."""
    if entry.kind in ('create', 'mkdir', 'link'):
        return [entry.words[1]] if entry.words[1] else []
    return entry.words if entry.kind in ('rename', 'unlink', 'rmdir') else []


class Disk:
    """The log up to one place: which entries are there for certain, and which may be lost."""

    def __init__(self, folder):
        self.directories = {os.stat(folder).st_ino: folder, os.stat(os.path.dirname(folder)).st_ino: os.path.dirname(folder)}
        self.entries = []
        self.begun = {}  # number of a sync: (inode, how many entries were before it)
        for root, folders, _ in os.walk(folder):
            for name in folders:
                path = os.path.join(root, name)
                self.directories[os.stat(path).st_ino] = path

    def add(self, entry):
        if entry.kind == 'sync-begin':
            self.begun[entry.words[0]] = entry.words[1], len(self.entries)
        elif entry.kind == 'sync-end':
            self.sync(*self.begun.pop(entry.words[0]))
        else:
            self.entries.append(entry)
            if entry.kind == 'mkdir':
                self.directories[entry.words[0]] = entry.words[1]

    def sync(self, inode, count):
        folder = self.directories.get(inode)
        for entry in self.entries[:count]:
            if folder is not None:
                entry.is_durable |= any(os.path.dirname(name) == folder for name in names_of(entry)[-1:])
            elif entry.kind in ('write', 'size', 'reserve', 'punch') and entry.words[0] == inode:
                entry.is_durable = True


# ---- one state ----


def write_at(content, off, data):
    content.extend(bytes(max(off + len(data) - len(content), 0)))
    content[off:off + len(data)] = data


class State:
    """Files as a power cut leaves them: path -> inode, inode -> content."""

    def __init__(self, before):
        self.names = {path: ('before', inode) for path, (inode, _) in before.items()}
        self.contents = {('before', inode): bytearray(data) for inode, data in before.values() if data is not None}
        self.folders = {path for path, (_, data) in before.items() if data is None}
        self.inodes = {inode: ('before', inode) for inode, _ in before.values()}  # as the log calls them now
        self.lost = set()  # names that a lost entry gave or removed: later entries about them are lost as well

    def apply(self, entry, is_kept, blocks):
        paths = names_of(entry)
        if entry.kind == 'create':
            self.inodes[entry.words[0]] = key = ('new', entry.words[0], id(entry))
            self.contents[key] = bytearray()
        if paths:
            is_kept = is_kept and not self.lost & set(paths) and not any(os.path.dirname(path) in self.lost for path in paths)
            if not is_kept:
                self.lost |= set(paths)
                return
        getattr(self, 'do_' + entry.kind)(entry, *entry.words, is_kept, blocks)

    def do_create(self, entry, inode, path, is_kept, blocks):
        if path:
            self.names[path] = self.inodes[inode]

    def do_link(self, entry, inode, path, is_kept, blocks):
        self.names[path] = self.inodes[inode]

    def do_mkdir(self, entry, inode, path, is_kept, blocks):
        self.names[path] = ('folder', inode)
        self.folders.add(path)

    def do_rename(self, entry, path, to, is_kept, blocks):
        self.names[to] = self.names.pop(path)

    def do_unlink(self, entry, path, is_kept, blocks):
        del self.names[path]

    def do_rmdir(self, entry, path, is_kept, blocks):
        del self.names[path]
        self.folders.discard(path)

    def content(self, inode):
        return self.contents[self.inodes[inode]]

    def do_write(self, entry, inode, off, count, is_kept, blocks):
        content = self.content(inode)
        if is_kept:
            write_at(content, off, entry.data)
            return
        for block in blocks:
            first, last = max(block * BLOCK - off, 0), min((block + 1) * BLOCK - off, count)
            if first < last:
                write_at(content, off + first, entry.data[first:last])

    def do_size(self, entry, inode, count, is_kept, blocks):
        content = self.content(inode)
        if is_kept:
            content.extend(bytes(max(count - len(content), 0)))
            del content[count:]

    def do_reserve(self, entry, inode, off, count, is_kept, blocks):
        if is_kept:
            self.content(inode).extend(bytes(max(off + count - len(self.content(inode)), 0)))

    def do_punch(self, entry, inode, off, count, is_kept, blocks):
        content = self.content(inode)
        if is_kept:
            count = min(count, len(content) - off)
            content[off:off + count] = bytes(max(count, 0))


def choose(disk, number, rng):
    """Which entries are kept, and which blocks of a write: none that may be lost, all, or some."""
    last = {}  # (inode, block): the last entry whose change of this block is kept

    def is_kept(key, at):
        if key not in last:
            last[key] = rng.choice((-1, len(disk.entries), rng.randrange(len(disk.entries))))
        return number == 1 or number > 1 and at <= last[key]

    for at, entry in enumerate(disk.entries):
        blocks = []
        if entry.is_durable:
            kept = True
        elif entry.kind == 'write':
            first, end = entry.words[1] // BLOCK, (entry.words[1] + entry.words[2] - 1) // BLOCK + 1
            blocks = [block for block in range(first, end) if is_kept((entry.words[0], block), at)]
            kept = len(blocks) == end - first
        else:
            kept = is_kept((entry.words[0], None if names_of(entry) else 'length'), at)
        yield entry, kept, blocks


# ---- jobs ----


class Job:
    """A command line; `outputs`: what it writes, each whole or not at all. before: commands that are run first."""

    def __init__(self, name, arguments, outputs=('out',), before=(), old=(), resumes=False, is_group=False):
        self.name, self.arguments, self.outputs = name, arguments.split(), list(outputs)
        self.before, self.old, self.resumes, self.is_group = [line.split() for line in before], old, resumes, is_group


SPILLED = '--chunk=16K --spill=always'
JOBS = [
    Job('new', 'x.u64 -o out'),
    Job('replaced', 'x.u64 -o out', old=['out']),
    Job('in place', 'x.u64 -o x.u64', ['x.u64']),
    Job('spilled', f'x.u64 -o out {SPILLED} --verify=read', old=['out']),
    Job('records', f'-R 16 -k 4:u32 x.u64 -o out {SPILLED}', old=['out']),
    Job('one pass', 'sorted.u64 -o out --spill=always', old=['out']),
    Job('in place, one pass', 'sorted.u64 -o sorted.u64', ['sorted.u64']),
    Job('unique', 'x.u64 -u -t uint8 -o out', old=['out']),
    Job('packed', 'x.u64 --zstd -o out.zst', ['out.zst'], old=['out.zst']),
    Job('npy', 'x.npy -u -o out.npy', ['out.npy'], old=['out.npy']),
    Job('report', 'x.u64 -o out --stats=json:report', ['out', 'report'], old=['out', 'report']),
    Job('merged', '-m a.u64 b.u64 -o out', old=['out']),
    Job('split', 'x.u64 --split 3 -o out.%d', ['out.1', 'out.2', 'out.3'], old=['out.1', 'out.2', 'out.3']),
    Job('companions', 'x.u64 --values=v:4=vout --values=w:8=wout -o out', ['vout', 'wout', 'out'], old=['vout', 'wout', 'out'],
        is_group=True),
    Job('companions in place', 'x.u64 --values=v:4=v --values=w:8=w -o x.u64', ['v', 'w', 'x.u64'], is_group=True),
    Job('into a new file', '-m --part=1/2 a.u64 b.u64 --into=whole', []),
    Job('into an old file', '-m --part=1/2 a.u64 b.u64 --into=whole', [], ['-m --part=2/2 a.u64 b.u64 --into=whole']),
    Job('resume', 'x.u64 -o out --resume=dir --chunk=16K', old=['out'], resumes=True),
    Job('resume, merged twice', 'x.u64 -o out --resume=dir --chunk=8K --batch-size=3 --window=8K', old=['out'], resumes=True),
    Job('resume, records', '-R 16 -k 4:u32:desc x.u64 -o out --resume=dir --chunk=16K --stats=json:report', ['out'], old=['out'],
        resumes=True),
    Job('resume, shuffled', 'x.u64 --shuffle=7 -o out --resume=dir --chunk=16K', old=['out'], resumes=True),
    Job('resume, in place', 'x.u64 -o x.u64 --resume=dir --chunk=16K', ['x.u64'], resumes=True),
]
ELEMENTS = 12000


def prepare(folder, job, gsort):
    rng = random.Random(7)
    os.mkdir(folder)
    write = lambda name, data: open(os.path.join(folder, name), 'wb').write(data)
    numbers = [rng.randrange(1 << 64) for _ in range(ELEMENTS)]
    plain = b''.join(number.to_bytes(8, 'little') for number in numbers)
    write('x.u64', plain)
    write('sorted.u64', b''.join(number.to_bytes(8, 'little') for number in sorted(numbers)))
    header = b"{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % ELEMENTS
    write('x.npy', b'\x93NUMPY\x01\x00' + (118).to_bytes(2, 'little') + header.ljust(117) + b'\n' + plain)
    for name, part in ('a.u64', sorted(numbers[:5000])), ('b.u64', sorted(numbers[5000:])):
        write(name, b''.join(number.to_bytes(8, 'little') for number in part))
    write('v', rng.randbytes(4 * ELEMENTS))
    write('w', rng.randbytes(8 * ELEMENTS))
    for name in job.old:
        write(name, b'old ' + name.encode() * 9000)
    for line in job.before:
        subprocess.run([gsort, *line], cwd=folder, check=True)


def files_of(folder):
    found = {}
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(root, name)
            data = open(path, 'rb').read() if name in names else None
            found[path] = os.stat(path).st_ino, data
    return found


class Trial:
    """Checks one job, its log, and the states of the disk that follow from it."""

    def __init__(self, job, options, scratch):
        self.job, self.options, self.scratch = job, options, scratch
        self.folder, self.inodes = os.path.join(scratch, 'work'), os.path.join(scratch, 'inodes')
        self.gsort, self.logged = os.path.join(options.bin, 'gsort'), os.path.join(options.tests, 'gsort-logged')
        self.count = self.wrong = 0

    def run(self):
        prepare(self.folder, self.job, self.gsort)
        self.before = files_of(self.folder)
        log, disk = os.path.join(self.scratch, 'log'), Disk(self.folder)
        subprocess.run([self.logged, '-S64M', '--io=threads', *self.job.arguments], cwd=self.folder, check=True,
                       env={**os.environ, 'GSORT_CRASH_LOG': log})
        self.new = {name: open(os.path.join(self.folder, name), 'rb').read() for name in self.job.outputs}
        self.whole = self.merged() if '--into=whole' in self.job.arguments else None
        entries = read_log(log)
        for place, entry in enumerate(entries):
            disk.add(entry)
            is_end = place == len(entries) - 1
            if entry.kind != 'sync-begin' and (is_end or (place + self.options.seed) % self.options.share == 0):
                self.look_at(disk, place, is_end)
        return len(entries)

    def merged(self):
        return open(os.path.join(self.folder, 'whole'), 'rb').read()

    def look_at(self, disk, place, is_end):
        for number in range(self.options.states):
            rng = random.Random(f'{self.options.seed} {self.job.name} {place} {number}')
            state = State(self.before)
            for entry, is_kept, blocks in choose(disk, number, rng):
                state.apply(entry, is_kept, blocks)
            self.count += 1
            problem = self.problem(state, is_end)
            if problem:
                self.wrong += 1
                if self.wrong <= 5:
                    print(f'{self.job.name}: place {place} of the log, choice {number}: {problem}')
                    print(f'    gsort {" ".join(self.job.arguments)}')
                    print(f'    repeat: replay.py BIN TESTS --only "{self.job.name}" --seed {self.options.seed} '
                          f'--states {self.options.states} --share {self.options.share} --keep DIR')
                if self.options.keep:
                    self.keep(state, f'{self.options.keep}/{place}-{number}')
                    return

    def content(self, state, name):
        key = state.names.get(os.path.join(self.folder, name))
        return None if key is None else bytes(state.contents[key])

    def old(self, name):
        return self.before.get(os.path.join(self.folder, name), (0, None))[1]

    def problem(self, state, is_end):
        found = {name: self.content(state, name) for name in self.job.outputs}
        for name, data in found.items():
            if is_end and data != self.new[name]:
                return f'{name} is not the new one, but gsort had ended'
            if data not in (self.old(name), self.new[name]):
                return f'{name} is neither the old nor the new one'
        if self.job.is_group and found != self.new and any(found[name] == self.new[name] for name in found):
            if problem := self.group_problem(state, found):
                return problem
        if self.whole is not None:
            return self.into_problem(state, is_end)
        return self.resume_problem(state) if self.job.resumes else None

    def group_problem(self, state, found):
        """Files that belong together: the new ones that have no place yet have temporary names; the keys are placed last."""
        last = self.job.outputs[-1]
        if found[last] == self.new[last]:
            return f'{last} is new, but an output that is to be placed before it is not'
        spare = [bytes(state.contents[key]) for path, key in state.names.items()
                 if TEMPORARY in os.path.basename(path) and key in state.contents]
        missing = [name for name in found if found[name] != self.new[name] and self.new[name] not in spare]
        return f'some outputs are new, but {", ".join(missing)} is lost' if missing else None

    def into_problem(self, state, is_end):
        data, old = self.content(state, 'whole'), self.old('whole')
        if is_end and data != self.whole:
            return 'the part is not in its place, but gsort had ended'
        half = len(self.whole) // 16 * 8
        return 'the other part has changed' if old is not None and data[half:] != old[half:] else None

    def build(self, state, folder):
        os.mkdir(folder)
        at = lambda path: folder + path[len(self.folder):]
        for path in sorted(state.folders & set(state.names)):
            os.mkdir(at(path), 0o700)
        with open(self.inodes, 'w') as inodes:
            for path, key in state.names.items():
                if key in state.contents:
                    with open(os.open(at(path), os.O_WRONLY | os.O_CREAT, 0o600), 'wb') as file:
                        file.write(state.contents[key])
                        print(os.fstat(file.fileno()).st_ino, key[1], file=inodes)

    def keep(self, state, folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        self.build(state, folder)
        print(f'    kept in {folder}')

    def resume_problem(self, state):
        shutil.rmtree(self.folder)
        self.build(state, self.folder)
        done = subprocess.run([self.logged, '-S64M', *self.job.arguments], cwd=self.folder, stderr=subprocess.PIPE, text=True,
                              timeout=60, env={**os.environ, 'GSORT_CRASH_INODES': self.inodes})
        if done.returncode != 0:
            return f'exit status {done.returncode}: {done.stderr}'
        for name, data in self.new.items():
            if open(os.path.join(self.folder, name), 'rb').read() != data:
                return f'{name} is wrong after it was resumed'
        return 'dir is left' if os.path.exists(os.path.join(self.folder, 'dir')) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bin', type=os.path.abspath)
    parser.add_argument('tests', type=os.path.abspath)
    parser.add_argument('--states', type=int, default=4, help='choices of what is lost, at each place of the log')
    parser.add_argument('--share', type=int, default=1, help='look at one of so many places, which the seed chooses')
    parser.add_argument('--seed', type=int, default=int(os.environ.get('GS_TEST_SEED', '1'), 0))
    parser.add_argument('--only', help='the name of a job')
    parser.add_argument('--keep', help='a folder for the first state of each place that is wrong')
    options = parser.parse_args()
    if os.environ.get('GS_TEST_ALL') == '1':
        options.share = 1
    wrong = total = 0
    for job in JOBS:
        if options.only not in (None, job.name):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            trial = Trial(job, options, os.path.realpath(scratch))
            length = trial.run()
            print(f'{job.name}: {length} entries, {trial.count} states, {trial.wrong} wrong')
            wrong, total = wrong + trial.wrong, total + trial.count
    print(f'{total} states, {wrong} wrong, seed {options.seed}')
    return 1 if wrong or not total else 0


if __name__ == '__main__':
    sys.exit(main())
