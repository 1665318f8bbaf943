# Interrupted while standard input gives nothing: ends at once, with the signal, and says what became of the output.
mkfifo silent
exec 9<>silent
for io in uring threads; do
    "$CASES/../interrupt_waiting.py" TERM gsort -o out --io $io <silent
done
[ ! -e out ] || echo "wrote an output"
