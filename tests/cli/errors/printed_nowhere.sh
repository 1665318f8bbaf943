# Requested output that cannot be written to standard output is an error.
gsort-gen -d uniform -n 1000 -o x.u64
for what in "--help" "--version" "--explain x.u64 -o y" "--explain --stats=json x.u64 -o y" "--stats-only x.u64" \
    "--stats-only --stats=json x.u64" "x.u64 -o y --stats=json"; do
    code=0
    gsort $what >/dev/full || code=$?
    [ $code -eq 3 ] || echo "$what: exit $code"
done
for program in gsort-gen gsort-bench; do
    for what in --help --version; do
        code=0
        $program $what >/dev/full 2>err || code=$?
        [ $code -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] || echo "$program $what: exit $code"
    done
done
code=0
gsort-gen --list >/dev/full 2>err || code=$?
[ $code -eq 3 ] || echo "list: exit $code"
