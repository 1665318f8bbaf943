# A sort uses io_uring and direct I/O if it can. Otherwise, other cases test less than they say.
gsort-gen --dist uniform --type u64 --size 8M -o x
engine=$(gsort x -o y -S 16M --spill always --stats 2>&1 | grep '^engine ')
if gsort x -o y --io uring 2>&1 | grep -q 'this machine refuses io_uring'; then
    skip_part "io_uring" "no io_uring"
else
    [[ $engine == *io_uring* ]] || echo "$engine"
fi
if [ "$(stat -f -c %T .)" = tmpfs ] || ! dd if=x of=/dev/null bs=1M iflag=direct status=none; then
    skip_part "direct I/O" "no direct I/O in \$TMPDIR"
else
    [[ $engine == *"direct input, output, temp" ]] || echo "$engine"
fi
