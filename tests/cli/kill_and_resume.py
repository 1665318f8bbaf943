"""kill_and_resume.py KILLS WRITES COMMAND..: runs the command again and again, killed before a random one of its first WRITES writes, KILLS
times; then to the end. COMMAND is gsort-faults with its arguments, which stops itself there. Prints how many lives there were, how many
of them went on where the one before had been, and the bytes read by all lives together (Linux counts those of read(2) and its like: --io
threads), as "lives 13 resumed 11 read 1234". The last life's --stats=json is expected on its standard output. A life that is killed
when all is done, and before it could say so, would be followed by a sort from the beginning: then the output is
removed, and all begins anew."""
import json
import os
import random
import signal
import subprocess
import sys

kills, writes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
rng = random.Random(int(sys.argv[1]))
read = lives = resumed = 0


def bytes_read(pid):
    with open(f'/proc/{pid}/io') as file:
        return int(file.readline().split()[1])


def output():
    """Which file is in the output's place."""
    path = command[command.index('-o') + 1]
    return os.stat(path).st_ino if os.path.exists(path) else None


def is_done_unseen():
    """The output has its place, and the record, which goes last, is gone, if not yet its directory."""
    record = os.path.join(command[command.index('--resume') + 1], 'manifest')
    return output() not in (None, before) and not os.path.exists(record)


out = None
before = output()
while out is None:
    if is_done_unseen():
        os.remove(command[command.index('-o') + 1])
        read = lives = 0
    lives += 1
    # A session of its own: where a process group is orphaned and one of it is stopped, an exit may bring all of it a SIGHUP.
    stop = {'GSORT_FAULTS': f'write:{rng.randint(1, writes)}={int(signal.SIGSTOP)}'} if lives <= kills else {}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, env={**os.environ, **stop})
    how = os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if how.si_code == os.CLD_STOPPED:
        read += bytes_read(child.pid)
        child.kill()
    streams = child.communicate()
    if how.si_code == os.CLD_STOPPED:
        continue
    if child.returncode != 0:
        sys.exit(f'life {lives}: exit {child.returncode}')
    out = streams[0]
report = json.loads(out)
print('lives', lives, 'resumed', report['resumed_bytes'], report['resumed_output_bytes'], 'read', read + report['bytes_read'])
