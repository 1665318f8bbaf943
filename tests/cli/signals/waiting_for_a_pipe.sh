# An interrupt while standard input sends nothing ends gsort at once, with the signal. The message says what happened
# to the output.
mkfifo silent
exec 9<>silent
for io in uring threads; do
    "$CASES/../interrupt_waiting.py" TERM gsort -o out --io $io <silent
done
[ ! -e out ] || echo "wrote an output"
