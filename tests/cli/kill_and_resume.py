"""kill_and_resume.py KILLS SECONDS COMMAND..: runs the command again and again, killed after a random part of SECONDS, KILLS
times; then to the end. Prints how many lives there were, how many of them went on where the one before had been, and
the bytes read by all lives together (Linux counts those of read(2) and its like: --io threads), as
"lives 13 resumed 11 read 1234". The last life's --stats=json is expected on its standard output. A life that is killed
when all is done, and before it could say so, would be followed by a sort from the beginning: then the output is
removed, and all begins anew."""
import json
import os
import random
import signal
import subprocess
import sys
import time

kills, seconds, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
rng = random.Random(int(sys.argv[1]))
read = lives = resumed = 0


def bytes_read(pid):
    with open(f'/proc/{pid}/io') as file:
        return int(file.readline().split()[1])


def ended(child, number):
    """The child's output, if it ended by itself."""
    streams = child.communicate()
    if child.returncode == 0:
        return streams[0]
    if child.returncode != -number:
        sys.exit(f'life {lives}: exit {child.returncode}')
    return None


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
    child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    if lives <= kills:
        time.sleep(rng.uniform(0, seconds))
        if child.poll() is None:
            child.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
            read += bytes_read(child.pid)
            child.kill()
        out = ended(child, signal.SIGKILL)
    else:
        out = ended(child, 0)
report = json.loads(out)
print('lives', lives, 'resumed', report['resumed_bytes'], report['resumed_output_bytes'], 'read', read + report['bytes_read'])
