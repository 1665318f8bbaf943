"""kill_and_resume.py KILLS WRITES COMMAND..: runs a command and kills it KILLS times, each time before a random one of its first WRITES
writes; then runs it to the end. COMMAND is gsort-faults with its arguments, which stops itself there. Prints "lives 13 resumed 11 read 1234":
how many runs there were, how many continued the previous one, and the bytes that all read. Linux counts bytes of read(2) and
similar calls, so use --io threads. The last run's --stats=json is expected on its standard output. If a run is killed after all work was
done, but before the journal says so, the next one would sort from the beginning. Then the output is removed, and the test begins again."""
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
    # It has a session of its own. If a process group is orphaned and has a stopped process, an exit may send SIGHUP to the group.
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
