# Interrupted while a packed standard input gives no more, before and after its first bytes: ends at once.
mkfifo silent
exec 9<>silent
for bytes in '' '\x28' '\x28\xb5\x2f\xfd' '\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00'; do
    for io in uring threads; do
        printf "$bytes" >&9
        "$CASES/../interrupt_waiting.py" TERM gsort -o out --io $io <silent
    done
done
[ ! -e out ] || echo "wrote an output"
