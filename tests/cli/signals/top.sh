# An interrupt ends --top of a pipe that has stopped sending data. It ends with the signal, and the old output is
# unchanged.
mkfifo pipe
printf old >out
gsort-gen --dist uniform --type u64 --size 40M -o x
for way in "--io uring" "--io threads" "--spill always"; do
    python3 - $way <<'P'
import signal, subprocess, sys, threading
def reset():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
child = subprocess.Popen(['gsort', '-t', 'u64', 'pipe', '--top', '1000', '-o', 'out'] + sys.argv[1:], preexec_fn=reset)
with open('pipe', 'wb') as pipe:
    pipe.write(open('x', 'rb').read())
    pipe.flush()
    child.terminate()
    print(child.wait(timeout=60))
P
    cat out
    echo
done
ls -A
