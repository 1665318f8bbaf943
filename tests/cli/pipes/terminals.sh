# At a terminal, gsort writes no numbers, and reads none without a note. A check says that everything is in order.
# Ctrl-C reports what happened to the output.
cat >terminal.py <<'P'
import os, pty, signal, time
def is_ready(pid, name):
    """Whether it is the program, no longer this one, and gsort has a handler for the signal; or has ended, which shows."""
    status = open(f'/proc/{pid}/status').read()
    caught = int(status.split('SigCgt:')[1].split()[0], 16)
    return '\nState:\tZ' in status or f'Name:\t{name}\n' in status and (name != 'gsort' or caught >> signal.SIGINT - 1 & 1)
def run(*command, key=None):
    """What a terminal shows that is all three of the command's streams."""
    pid, fd = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored, where tests run in the background
        os.execvp(command[0], command)
    shown = b''
    if key:
        while not is_ready(pid, command[0]):
            time.sleep(0.01)
        os.write(fd, key)
    try:
        while data := os.read(fd, 4096):
            shown += data
    except OSError:
        pass
    status = os.waitpid(pid, 0)[1]
    how = 'signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'exit %d' % os.WEXITSTATUS(status)
    return how + ': ' + shown.decode('latin1').replace('\r', '').replace('\x1b[K', '').replace('^C', '').replace('\n', '|')
print(run('gsort', 'x.u32'))
print(run('gsort', '-q', '--print', 'ordered.u32'))
print(run('gsort'))
print(run('gsort', '-o', 'out'))
print(run('gsort', '-q', 'x.u32', '-o', '-'))
print(run('gsort', '--progress=never', '--check', 'ordered.u32'))
print(run('gsort', '--check', '-q', 'ordered.u32'))
print(run('gsort', '--progress=never', '-C', 'ordered.u32'))
print(run('gsort', '-q', 'fifo', '-t', 'u32', '-o', 'out.u32', key=b'\x03'))
print(run('gsort', '-q', 'fifo', '-t', 'u32', '-o', 'ordered.u32', key=b'\x03'))
print(run('sh', '-c', 'gsort -q -t u32 fifo | cat', key=b'\x03')[:8])
P
printf 'bbbbaaaa' >x.u32
printf 'aaaabbbb' >ordered.u32
mkfifo fifo
python3 terminal.py
[ "$(cat ordered.u32)" = aaaabbbb ]
[ ! -e out.u32 ]
gsort --check -v ordered.u32 2>&1 | grep order
gsort --check ordered.u32
