#!/usr/bin/env python3
"""old_linux.py BIN_DIR: checks that gsort and gsort-gen work if the kernel refuses every system call that Linux 3.2 lacks. This is
the oldest Linux on which today's C library starts. It has no io_uring, statx, getrandom or memfd_create. New flags of old calls
are not tested. It runs on x86-64 only, where the number of a call tells its age.

Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1."""
import array
import ctypes
import os
import random
import struct
import subprocess
import sys
import tempfile

FIRST_LATER = 312  # kcmp, of Linux 3.5
ENOSYS = 38


def refuse_later():
    """In the child: a seccomp filter, in classic BPF."""
    load_number, at_least, give = 0x20, 0x35, 0x06
    rows = [(load_number, 0, 0, 0), (at_least, 0, 1, FIRST_LATER), (give, 0, 0, 0x00050000 | ENOSYS), (give, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *row) for row in rows))
    program = struct.pack('HxxxxxxP', len(rows), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_seccomp, by_filter, program):
        raise OSError(ctypes.get_errno(), 'no seccomp filters')


def main():
    programs = os.path.abspath(sys.argv[1])
    broken = 0
    with tempfile.TemporaryDirectory() as scratch:
        def run(program, *words):
            nonlocal broken
            done = subprocess.run([f'{programs}/{program}', *words], cwd=scratch, preexec_fn=refuse_later,  # pylint: disable=W1509
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f'old_linux.py: {program} {" ".join(words)}: status {done.returncode}: {done.stderr}')
                broken = 1
            return done.stderr

        def expect(what, name, values):
            nonlocal broken
            with open(f'{scratch}/{name}', 'rb') as file:
                if file.read() != array.array('Q', values).tobytes():
                    print(f'old_linux.py: {what}: wrong')
                    broken = 1

        values = [random.getrandbits(64) for _ in range(1500000)]
        with open(f'{scratch}/x.u64', 'wb') as file:
            array.array('Q', values).tofile(file)
        in_order = sorted(values)
        if 'Function not implemented' not in run('gsort', 'x.u64', '-S', '12M', '-o', 'y.u64', '--stats'):
            print('old_linux.py: io_uring is not refused')
            broken = 1
        expect('a sort that spills', 'y.u64', in_order)
        run('gsort', '-c', 'y.u64')
        run('gsort', '-m', 'y.u64', 'y.u64', '-o', 'm.u64')
        expect('a merge', 'm.u64', [value for value in in_order for _ in range(2)])
        run('gsort', '--top', '7', 'x.u64', '-o', 't.u64')
        expect('the first of all', 't.u64', in_order[:7])
        run('gsort', 'x.u64', '-o', 'y.u64.zst')
        run('gsort', 'y.u64.zst', '-o', 'z.u64')
        expect('packed', 'z.u64', in_order)
        run('gsort', '-S', '12M', 'x.u64', '-o', 'x.u64')
        expect('in place', 'x.u64', in_order)
        run('gsort-gen', '-d', 'sorted', '-n', '1000', '-o', 'g.u64')
        run('gsort', '-c', 'g.u64')
    sys.exit(broken)


if __name__ == '__main__':
    main()
