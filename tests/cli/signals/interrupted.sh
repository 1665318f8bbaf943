# SIGINT, SIGTERM, SIGHUP and SIGKILL at any time: the output is the old one or the whole new one, and
# nothing is left. (A signal after the commit finds the new one.)
gsort-gen --dist uniform --type u64 --size "$(sized 64M 32M)" -o x
gsort -t u64 x -o want
for signal in INT TERM HUP KILL; do
    for delay in $(sized "0.01 0.05 0.1 0.15 0.2" "0.01 0.1 0.3"); do
        for way in "" "--spill always --io threads" "-S 24M"; do
            python3 "$CASES/../interrupt.py" "$signal" "$delay" gsort -t u64 x -o out $way || echo "$signal after $delay ($way)"
            [ "$(ls -A)" = "$(printf 'out\nwant\nx')" ] || { echo "left behind:"; ls -A; }
        done
    done
done
