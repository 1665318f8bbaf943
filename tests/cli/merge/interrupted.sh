# SIGTERM and SIGKILL at any time: the output is the old one or the whole new one, and nothing is left; also while a
# stream gives nothing.
for i in 1 2 3; do gsort-gen --dist uniform --type u64 --size 16M --seed $i | gsort >s$i.u64; done
gsort s?.u64 -o want
mkfifo silent
exec 9<>silent
printf old >out
for way in "s1.u64 s2.u64 s3.u64" "s1.u64 s2.u64 s3.u64 -S 24M --batch-size 2 --io threads" "s1.u64 silent" \
    "silent s2.u64 --io threads"; do
    for delay in 0.01 0.05 0.2; do
        for signal in TERM KILL; do
            python3 - $signal $delay $way <<'P' || echo "$signal after $delay ($way)"
import signal, subprocess, sys, time
number = getattr(signal, 'SIG' + sys.argv[1])
child = subprocess.Popen(['gsort', '-m', '-t', 'u64', '-o', 'out'] + sys.argv[3:],
                         preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
time.sleep(float(sys.argv[2]))
child.send_signal(number)
code = child.wait(timeout=20)
data = open('out', 'rb').read()
whole = data == open('want', 'rb').read()
sys.exit(not (code == -number and (data == b'old' or whole) or code == 0 and whole))
P
            printf old >out
        done
    done
done
[ "$(ls -A | tr '\n' ' ')" = "out s1.u64 s2.u64 s3.u64 silent want " ] || { echo "left behind:"; ls -A; }
