# --strict: where the type of the elements is unknown, whatever is done ends with 2 and one line, and nothing is written; what
# -t, -R, a name or a format says is no assumption.
printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0' >plain
cp plain plain.f64
refused() {
    local code=0
    gsort --strict "$@" >stdout 2>err </dev/null || code=$?
    [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'is unknown, .* --strict .* -t TYPE' err && [ ! -s stdout ] &&
        [ ! -e out ] || { echo "gsort --strict $*: exit $code:" && cat err; }
}
taken() {
    gsort --strict "$@" >stdout 2>err || { echo "gsort --strict $*: exit $?:" && cat err; }
    ! grep assumed err || echo "gsort --strict $*: assumes"
    rm -f out out.f64 out.1
}
for way in '-o out' '-r --top 1 -o out' -c -C '-c --stats' --stats-only '--stats-only --quantiles=0.5' '--find 2' \
    '--find 2 -o out' '--find 2 --print' '--head 1' '--tail 1' --print --print=json '--explain' '--explain --stats=json' \
    '-u --count -o out' '--argsort -o out' '--range 0:1 -o out' '--raw -o out' '-q -o out' '-m -o out' '-m --part 1/2 -o out' \
    '-m --into out' '--resume kept -o out' '--split 2 -o out.%d' '--header 8 -o out' '--region 8:8 -o out'; do
    # shellcheck disable=SC2086
    refused plain $way
done
for set in all union intersect except semi anti xor; do
    refused --merge=$set plain plain -o out
    refused --merge=$set --stats-only plain plain
done
refused --drop-tail plain -o out
refused -o out
refused - -o out
refused /dev/null -o out
[ ! -e kept ] || echo "a directory for --resume"
gsort --strict plain plain plain 2>&1 || :
gsort --strict <plain 2>&1 || :
for way in '-o out' -c --stats-only '--find 2' '--head 1' --print --explain '-m -o out'; do
    # shellcheck disable=SC2086
    taken plain.f64 $way
    # shellcheck disable=SC2086
    taken -t u64 plain $way
done
taken -R 8 plain -o out
taken plain -o out.f64
taken plain plain.f64 -o out
printf '\1' | cat plain.f64 - >odd.f64
taken --drop-tail odd.f64 -o out
grep -c 'left out' err
printf '\223NUMPY\1\0v\0%-117s\n12345678' "{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}" >z
taken z -o out
refused --raw z -o out
# Without it as ever: a note.
gsort plain -o out
