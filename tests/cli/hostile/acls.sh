# A replaced file keeps its ACL and the user's attributes; one without an ACL gets none from its directory; a new one
# gets what the directory's default says.
code=0
python3 - <<'P' || code=$?
import errno, os, struct, subprocess, sys
def acl(*entries):
    return struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
NONE = 0xffffffff
access = acl((1, 6, NONE), (2, 6, 12345), (4, 0, NONE), (16, 6, NONE), (32, 0, NONE))
default = acl((1, 7, NONE), (2, 7, 12345), (4, 5, NONE), (16, 7, NONE), (32, 5, NONE))
def of(path):
    try:
        return os.getxattr(path, 'system.posix_acl_access')
    except OSError as error:
        if error.errno == errno.ENODATA:
            return None
        raise
try:
    os.mkdir('d')
    os.setxattr('d', 'system.posix_acl_default', default)
    open('d/probe', 'w').close()
    os.setxattr('d/probe', 'user.a', b'')
except OSError:
    sys.exit(77)
os.umask(0o022)
subprocess.run('gsort-gen --dist uniform --type u64 --size 4M -o x', shell=True, check=True)
open('d/model', 'wb').close()
for way in '', '--spill always -T . -S 16M', '--verify=read', '--zstd', '--top 5', '--resume=d/kept -S 16M', '-m x.sorted --raw':
    subprocess.run('gsort -t u64 x -o x.sorted', shell=True, check=True)
    inputs = '' if '-m' in way else 'x'
    for name in 'with', 'without', 'new':
        path = 'd/' + name
        if name != 'new':
            open(path, 'wb').close()
            os.removexattr(path, 'system.posix_acl_access')
            os.chmod(path, 0o640)
            os.setxattr(path, 'user.a', b'kept')
        if name == 'with':
            os.setxattr(path, 'system.posix_acl_access', access)
        subprocess.run(f'gsort -t u64 {way} {inputs} -o {path}', shell=True, check=True)
        want, mode = {'with': (access, 0o660), 'without': (None, 0o640),
                      'new': (of('d/model'), os.stat('d/model').st_mode & 0o777)}[name]
        if of(path) != want or os.stat(path).st_mode & 0o777 != mode:
            print(f'{way} {name}: mode {os.stat(path).st_mode:o}, ACL {of(path)}')
        if name != 'new' and os.getxattr(path, 'user.a') != b'kept':
            print(f'{way} {name}: lost its attribute')
        os.unlink(path)
P
[ $code != 77 ] || skip "no ACLs, or no attributes, in this file system"
exit $code
