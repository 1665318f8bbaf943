#!/usr/bin/env python3
"""interrupt.py SIGNAL DELAY COMMAND...: checks that a signal at any time leaves the old output or the whole new one.

COMMAND, which writes `want` as `out`, gets SIGNAL (TERM, KILL, ...) after DELAY seconds. Exit status 0: the signal ended it,
and `out` is the old or the whole new one; or it succeeded before, and `out` is whole. If it says that `out` is unchanged or
complete, that must be true.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time


def reset_signals():
    """A child of a script ignores SIGINT, and perhaps others."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def main():
    number = getattr(signal, "SIG" + sys.argv[1])
    out = pathlib.Path("out")
    out.write_bytes(b"old")
    child = subprocess.Popen(sys.argv[3:], preexec_fn=reset_signals, stderr=subprocess.PIPE)
    time.sleep(float(sys.argv[2]))
    child.send_signal(number)
    said = child.communicate()[1]
    code = child.returncode
    # The thread sanitizer's own file, where the child is killed before that has taken its name away.
    pathlib.Path(os.environ.get("TMPDIR", "."), f"tsan.rodata.{child.pid}").unlink(missing_ok=True)
    data = out.read_bytes()
    is_whole = data == pathlib.Path("want").read_bytes()
    is_true = {b"": True, b"gsort: interrupted; 'out' is unchanged\n": data == b"old",
               b"gsort: interrupted; 'out' is complete\n": is_whole}
    if not is_true.get(said, False):
        print(said.decode())
        return 1
    return 0 if is_whole and code in (0, -number) or data == b"old" and code == -number else 1


sys.exit(main())
