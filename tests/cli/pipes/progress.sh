# The line of progress: one row of the terminal, however narrow that is, which is gone at the end, whatever ends gsort.
cat >terminal.py <<'P'
import fcntl, os, pty, re, signal, struct, sys, termios, time
def run(columns, command, act=None):
    """What standard error shows on a terminal of that width. act: called with the process and what was shown so far."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('4H', 24, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.dup2(slave, 2)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    os.close(slave)
    shown = b''
    try:
        while data := os.read(master, 4096):
            shown += data
            if act and b'\r\x1b[K' not in data and b'%' in shown:
                act(pid)
                act = None
    except OSError:
        pass
    os.waitpid(pid, 0)
    return shown.decode()
def check(what, columns, shown):
    rows = re.split('\r\n|\r|\x1b\\[K', shown)
    if not re.search('[0-9] %' if columns > 20 else 'read', shown) or max(map(len, rows)) >= columns:
        print(what, columns, 'columns:', max(map(len, rows)), repr(shown[-200:]))
    if not shown.endswith('\r\x1b[K'):
        print(what, columns, 'columns: stays on the screen:', repr(shown[-200:]))
def two_signals(pid):
    """Both are there before the first is handled, so that the job has no time to end."""
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
        os.kill(pid, number)
sort = 'gsort --progress=always -S 64M --parallel 1 --io threads x.u64 -o '
for columns in 120, 44, 43, 30, 20, 10:
    check('sort', columns, run(columns, (sort + 'out').split()))
for way in '--io threads -o -', '-o -', '--print':
    check(way + ', a reader that left', 80, run(80, ['sh', '-c', f'gsort --progress=always -S 64M x.u64 {way} | head -c 8 >/dev/null']))
check('two signals', 80, run(80, (sort + 'out').split(), two_signals))
P
gsort-gen --dist uniform -t u64 -n 30000000 -o x.u64
python3 terminal.py
