# A failure after the output is in its place says that the output is complete, for each kind of output and of report.
gsort-gen --dist uniform -t u64 -n 1000 -o x.u64
gsort x.u64 -o want
same() { cmp "$1" want || echo "$1 is not what was to be written"; }
late() { # FILE OPTION...: a report that fails, and what that says
    local code=0
    rm -f out*
    gsort -t u64 "${@:2}" 2>line || code=$?
    [ $code -eq 3 ] || echo "${*:2}: exit $code"
    cat line >&2
    same "$1"
}
late out x.u64 -o out --stats=json:/dev/full
late out x.u64 -o out --stats=json >/dev/full
late piped x.u64 -o - --stats=json:/dev/full >piped
late out -o out --resume kept x.u64 --stats=json:/dev/full
late out x.u64 -o out --values x.u64:8=out.values --stats=json:/dev/full
late out.1 x.u64 --split 1 -o out.%d --stats=json:/dev/full
late out -m want -o out --stats=json:/dev/full
late out --top 1000 x.u64 -o out --stats=json:/dev/full
late out -m --part 1/1 want --into out --stats=json:/dev/full
rm -f out
cp x.u64 out
gsort -t u64 out -o out --stats=json:/dev/full || echo "exit $?"
same out
gsort x.u64 --top 2 -t u64 --print=header --stats=json:/dev/full >text || echo "exit $?"
wc -l <text
gsort --where '>1' --where '<0' x.u64 --print=header --stats=json:/dev/full >text || echo "exit $?"
cat text; ls -A | tr '\n' ' '; echo
# A reader of the report that left is no failure, and ends gsort as it ends sort(1); where SIGPIPE is ignored it is one.
python3 - <<'P'
import os, subprocess
begin, end = os.pipe()
os.close(begin)
for is_default in True, False:
    done = subprocess.run(['gsort', 'x.u64', '-o', 'out', '--stats=json'], stdout=end, restore_signals=is_default)
    print('exit', done.returncode)
P
gsort -t u64 x.u64 --stats=json:/dev/full | cmp - want
# An output that was not written is not called complete.
gsort x.u64 --print --stats=json:/dev/full >/dev/full || echo "exit $?"
gsort --stats-only x.u64 --stats=json:/dev/full || echo "exit $?"
gsort --check want -t u64 --stats=json:/dev/full || echo "exit $?"
gsort --explain x.u64 -o out --stats=json:/dev/full || echo "exit $?"
