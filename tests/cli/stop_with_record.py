"""stop_with_record.py SIGNAL BYTES gsort ARGUMENT...: sends SIGNAL to a sort once its record in `dir` has more than BYTES bytes.

The sort stops itself before each write (gsort-faults), so it cannot end before its journal was inspected. Prints the signal that ended
the sort, or its exit code.
"""
import os
import signal
import subprocess
import sys

number, least_bytes, arguments = getattr(signal, sys.argv[1]), int(sys.argv[2]), sys.argv[4:]


def reset_signals():
    """A child of a script ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def has_enough():
    return os.path.exists('dir/manifest') and os.path.getsize('dir/manifest') > least_bytes


# A session of its own: see kill_and_resume.py.
child = subprocess.Popen(['gsort-faults', *arguments], preexec_fn=reset_signals, start_new_session=True,
                         env=dict(os.environ, GSORT_FAULTS=f'write:1+={int(signal.SIGSTOP)}'))
is_sent = False
while os.WIFSTOPPED(status := os.waitpid(child.pid, os.WUNTRACED)[1]):
    if not is_sent and has_enough():
        os.kill(child.pid, number)
        is_sent = True
    os.kill(child.pid, signal.SIGCONT)
print(signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f'exit {os.WEXITSTATUS(status)}')
