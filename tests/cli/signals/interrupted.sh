# SIGINT, SIGTERM, SIGHUP and SIGKILL at any time: the output is the old one or the whole new one, and
# nothing is left. (A signal after the commit finds the new one.)
gsort-gen --dist uniform --type u64 --size "$(sized 64M 32M)" -o x
gsort x -o want
printf old >out
for signal in INT TERM HUP KILL; do
    for delay in $(sized "0.01 0.05 0.1 0.15 0.2" "0.01 0.1 0.3"); do
        for way in "" "--spill always --io threads" "-S 24M"; do
            # a child of a script ignores SIGINT; env resets what it can, python is the portable way
            python3 - "$signal" "$delay" $way <<'P' || echo "$signal after $delay ($way)"
import signal, subprocess, sys, time
number = getattr(signal, 'SIG' + sys.argv[1])
def reset():
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, signal.SIG_DFL)
child = subprocess.Popen(['gsort', 'x', '-o', 'out'] + sys.argv[3:], preexec_fn=reset)
time.sleep(float(sys.argv[2]))
child.send_signal(number)
code = child.wait(timeout=20)
data = open('out', 'rb').read()
whole = data == open('want', 'rb').read()
sys.exit(not (code == -number and (data == b'old' or whole) or code == 0 and whole))
P
            printf old >out
            [ "$(ls -A)" = "$(printf 'out\nwant\nx')" ] || { echo "left behind:"; ls -A; }
        done
    done
done
