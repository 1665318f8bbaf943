# The whole process stays under --memory (and 32 MiB for what the system counts to it), resident or not.
gsort-gen --dist uniform --type u64 --size 96M -o x
for memory in 16 32 64 150; do
    for way in "" "--spill always" "--spill always --compress zstd" "--io threads --parallel 4"; do
        python3 - $memory $way <<'P'
import resource, subprocess, sys
memory = int(sys.argv[1])
child = subprocess.Popen(['gsort', '-t', 'u64', 'x', '-o', 'y', '-S', '%dM' % memory] + sys.argv[2:])
assert child.wait() == 0
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if peak > memory + 32:
    print('%d MiB allowed, %.0f taken (%s)' % (memory, peak, ' '.join(sys.argv[2:])))
P
    done
done
