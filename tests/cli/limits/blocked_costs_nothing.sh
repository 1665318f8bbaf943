# gsort uses no processor time while it waits for a reader that does not read, or a writer that is slow. This holds in memory and
# spilled, with both engines. There are no threads except the requested ones and those of the engine. The sort continues
# afterwards.
gsort-gen --dist uniform --type u64 --size 24M -o x
cat >blocked.py <<'P'
import os, subprocess, sys, threading, time

side, engine, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
OWN_MOST = 1 + 2 + 1 + (16 if engine == 'threads' else 0)  # the loop's, --parallel 2, one for disk, the engine's
KERNEL_MOST = 64  # io_uring's, one a transfer
TICKS = os.sysconf('SC_CLK_TCK')


def seconds_used(pid):
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rsplit(') ', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def thread_counts(pid):
    own = kernel = 0
    try:
        tasks = os.listdir(f'/proc/{pid}/task')
    except FileNotFoundError:
        tasks = []
    for task in tasks:
        try:
            with open(f'/proc/{pid}/task/{task}/comm') as file:
                is_kernel = file.read().startswith('iou-')
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        kernel += is_kernel
        own += not is_kernel
    return own, kernel


def wrong(text):
    print(f'{side}, {engine}, {" ".join(arguments)}: {text}')
    os._exit(1)


with open('x', 'rb') as file:
    data = file.read()
with open('want', 'rb') as file:
    want = file.read()
child = subprocess.Popen(['gsort', '-t', 'u64', '--io', engine, '--parallel', '2'] + arguments,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
most = [0, 0]
got = bytearray()


def watch():
    while child.poll() is None:
        for i, count in enumerate(thread_counts(child.pid)):
            most[i] = max(most[i], count)
        time.sleep(0.01)


def give(piece):
    view = memoryview(piece)
    while view:
        view = view[child.stdin.write(view):]


threading.Thread(target=watch, daemon=True).start()
given = len(data) // 2 if side == 'input' else len(data)
give(data[:given])
if side == 'output':
    child.stdin.close()
    got += child.stdout.read(1)  # so it has begun to write, and fills the pipe
used = passed = 1
while used > passed / 10:  # ends when all that it could do is done; it never ends if waiting costs time
    begin, used = time.monotonic(), seconds_used(child.pid)
    while time.monotonic() - begin < 0.5:
        time.sleep(0.05)
        if side == 'input':
            give(data[given:given + 1])
            given += 1
    used, passed = seconds_used(child.pid) - used, time.monotonic() - begin
if side == 'input':
    give(data[given:])
    child.stdin.close()
got += child.stdout.read()
while piece := child.stdout.read():
    got += piece
if child.wait() != 0 or got != want:
    wrong(f'exit {child.returncode}, {len(got)} bytes, or not those of a sort that did not wait')
if most[0] > OWN_MOST or most[1] > KERNEL_MOST:
    wrong(f'{most[0]} threads, and {most[1]} of the kernel')
P
for io in uring threads; do
    gsort x -o want --io $io 2>refusal || { grep -q "refuses io_uring" refusal && continue; cat refusal; }
    for way in "-S 256M" "-S 16M --compress none" "-S 64M --spill always --compress zstd"; do
        timeout 300 python3 blocked.py input $io $way || echo "input, $io, $way: exit $?"
        timeout 300 python3 blocked.py output $io $way || echo "output, $io, $way: exit $?"
    done
done
