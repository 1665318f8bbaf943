# Interrupted while standard input gives nothing: ends at once, with the signal.
mkfifo silent
exec 9<>silent
for io in uring threads; do
    python3 - $io <<'P'
import signal, subprocess, sys, time
def reset():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
child = subprocess.Popen(['gsort', '-o', 'out', '--io', sys.argv[1]], stdin=open('silent', 'rb'), preexec_fn=reset)
time.sleep(0.3)
child.terminate()
begin = time.time()
print(child.wait(timeout=20), time.time() - begin < 5)
P
done
[ ! -e out ] || echo "wrote an output"
