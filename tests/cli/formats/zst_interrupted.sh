# Interrupted while a packed standard input gives no more, before and after its first bytes: ends at once.
mkfifo silent
exec 9<>silent
for bytes in '' '\x28' '\x28\xb5\x2f\xfd' '\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00'; do
    for io in uring threads; do
        python3 - $io "$bytes" <<'P'
import fcntl, os, signal, struct, subprocess, sys, termios, time
def reset():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
def waiting():
    return struct.unpack('i', fcntl.ioctl(9, termios.FIONREAD, b'\0' * 4))[0]
os.write(9, sys.argv[2].encode().decode('unicode_escape').encode('latin-1'))
child = subprocess.Popen(['gsort', '-o', 'out', '--io', sys.argv[1]], stdin=open('silent', 'rb'), preexec_fn=reset)
while waiting() > 0:
    time.sleep(0.01)
time.sleep(0.2)
child.terminate()
begin = time.time()
print(child.wait(timeout=20), time.time() - begin < 5)
P
    done
done
[ ! -e out ] || echo "wrote an output"
