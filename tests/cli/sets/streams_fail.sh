# Calls fail while a stream is copied for a set operation: one line, and no descriptor is left open (exit 97).
mkdir temp
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<30000Q", *range(30000)))' >sorted.u64
for kind in memory open read write short-read space; do
    for call in $(seq 1 40); do
        code=0
        GSORT_FAULTS=$kind:$call gsort-faults -t u64 --merge=except sorted.u64 - -o out --parallel 1 -S 24M -T temp <sorted.u64 2>line || code=$?
        [[ $code -eq 0 || ($code -le 8 && $(wc -l <line) -eq 1) ]] || echo "$kind:$call: exit $code: $(cat line)"
        rm -f out
    done
done
ls temp
