# The whole process stays under --memory (and 32 MiB for what the system counts to it), packing and unpacking too.
need zstd
gsort-gen --dist zipf --type u64 --size 80M -o x.u64
zstd -q -1 x.u64
gsort x.u64 -o blocks.zst
for memory in $(third 24 64 200); do
    for way in "" "--spill always --parallel 4" "--io threads"; do
        for input in x.u64.zst blocks.zst; do
            python3 - $memory $input $way <<'P'
import resource, subprocess, sys
memory = int(sys.argv[1])
child = subprocess.Popen(['gsort', '-t', 'u64', '-o', 'y.zst', '-S', '%dM' % memory] + sys.argv[2:])
assert child.wait() == 0
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if peak > memory + 32:
    print('%d MiB allowed, %.0f taken (%s)' % (memory, peak, ' '.join(sys.argv[2:])))
P
            cmp y.zst blocks.zst || echo "$memory $way $input"
        done
    done
done
