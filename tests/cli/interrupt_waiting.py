#!/usr/bin/env python3
"""interrupt_waiting.py SIGNAL COMMAND...: sends a signal while COMMAND waits, and prints how it ended. COMMAND waits if it has read
all data in its standard input (if that is a pipe), catches SIGNAL, and all its threads sleep. The test only checks that it ends.
Without the signal it would wait for ever, until CTest's time limit.
"""
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios

LOOKS = 20  # in a row, because it may also sleep while it works
MOST_LOOKS = 10000  # more than a second: it will never catch the signal


def reset_signals():
    """A child of a script ignores SIGINT, and perhaps others."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def unread_bytes():
    try:
        return struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, bytes(4)))[0]
    except OSError:
        return 0  # no pipe


def field(path, name):
    with open(path, encoding="utf-8") as file:
        return next(line.split()[1] for line in file if line.startswith(name + ":"))


def catches(pid, number):
    return int(field(f"/proc/{pid}/status", "SigCgt"), 16) >> (number - 1) & 1


def is_waiting(pid):
    try:
        threads = [f"/proc/{pid}/task/{thread}/status" for thread in os.listdir(f"/proc/{pid}/task")]
        return unread_bytes() == 0 and all(field(thread, "State") == "S" for thread in threads)
    except (FileNotFoundError, ProcessLookupError, StopIteration):
        return False  # a thread has ended


def main():
    number = getattr(signal, "SIG" + sys.argv[1])
    child = subprocess.Popen(sys.argv[2:], preexec_fn=reset_signals)
    looks = 0
    while child.poll() is None and looks < (LOOKS if catches(child.pid, number) else MOST_LOOKS):
        looks = looks + 1 if is_waiting(child.pid) else 0
    child.send_signal(number)
    print(child.wait())


main()
