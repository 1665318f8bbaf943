# Owners: those of a replaced file are kept where that is allowed; what another user may not do is said.
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 . ..
need_root
need setpriv
as_nobody gsort --version >/dev/null 2>&1 || skip "no way for another user to this build of gsort"
gsort-gen --dist uniform --type u64 --size 64K -o x
cp x file
chown 1234:4321 file
gsort -t u64 x -o file
stat -c '%u:%g' file
mkdir -m 0777 open
cp x open/theirs
chmod 666 open/theirs
chmod a+r x
as_nobody gsort -t u64 x -o open/mine
stat -c '%n %u:%g' open/mine
as_nobody gsort -t u64 x -o open/theirs
stat -c '%n %u:%g %a' open/theirs
as_nobody gsort -t u64 x -o mine || echo "exit $?"
chmod 600 x
as_nobody gsort -t u64 x -o open/mine || echo "exit $?"
mkdir -m 1777 sticky
cp x sticky/theirs
chmod 666 sticky/theirs
chmod 644 x
as_nobody gsort -t u64 x -o sticky/theirs || echo "exit $?"
ls -A open sticky
