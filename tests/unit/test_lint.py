"""Tests gsort's own checks that tools/dev/lint.sh runs. They need only the files of a tar, without git. They
find checks that cannot fail (check_scripts), broken comments (check_shape.sh) and sentences that break a rule of English (prose).
They find nothing else. Scripts that build a preset say whether they want tests, because the folder may have been configured without them."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
CANNOT_FAIL = [
    'gsort x -o y && cmp x y',
    '[ $code = 2 ] && [ ! -e y ]',
    'for io in uring threads; do gsort x --io $io && look && cmp x y; done',
    'gsort x -o y &&\n    cmp x y',
    'gsort x "a || b" -o y && [ "$(cat "it\'s" || :)" = 1 ]',
    'cat x | gsort && gsort x | cmp - y # || echo',
    '! grep -q x y',
    "python3 - <<'E' && cmp x y\nprint(1) or 'it'\nE",
    'case $x in a) gsort && cmp x y ;; esac',
]
CAN_FAIL = [
    'gsort x -o y\ncmp x y',
    'gsort x -o y && echo "wrote $y && [ -e y ]"',
    'gsort x -o y && cmp x y || echo differ',
    'gsort x -o y &&\n    cmp x y ||\n    echo differ',
    '[ -e x ] && continue',
    'if gsort x && cmp x y; then echo same; fi',
    'while read -r x && [ "$x" ]; do look; done',
    'case $x in\n    a) gsort && cmp x y ;;\nesac || echo differ',
    '(gsort x && cmp x y)',
    'x=$(gsort x && test -e y)',
    '# gsort x && cmp x y',
    "cat <<'E'\ngsort x && cmp x y\nE",
    'sh -c "gsort x && cmp x y"',
]
# Diagrams and prose of comments, as a formatter leaves them, and as they are to be.
MISSHAPEN = [
    '/* x.h: y.\n *\n *     open     a name, or, if\n * there is one, another\n *\n * More. */',
    '// x.h: y.\n//\n//     a -> b -> back\n// to a\n',
    '/* Plans again. With auto, rather no codec than\n * too little memory. */',
    '/* Of a | b\n * | 1 | 2 | | 3 | 4 | */',
    '/* f: opens it. fails GS_E_IO */',
    '/* ' + 95 * 'x' + ' */',
    'int ' + 97 * 'x' + ';',
    'int f(void)\n{\n' + 71 * '    g();\n' + '}',
]
SHAPELY = [
    '/* x.h: y.\n *\n *     open     a name, or, if there is one,\n *              another\n *\n * More. */',
    '/* x */\n/* Plans again:\n *     a -> b */\n/* and goes on. */\nint x;',
    '/* gs_f: finds it, which is a line\n * gs_g: counts it\n * in    n: of so many\n *       more of them\n * fails GS_E_IO */',
    '/* 1. first, in the words that one finds in a book about such\n *    things as this one. 2. second. */',
    '/* ' + 94 * '\u2500' + ' */',
    'int f(void)\n{\n' + 70 * '    g();\n' + '}',
]
# Sentences that break a rule of English, one rule each.
STILTED = [
    ('src/stilted.c', '/* x.c: reads it. What is read is sorted. */'),
    ('src/stilted.c', '/* x.c: writes what comes out. */'),
    ('src/stilted.c', '/* x.c: ' + 25 * 'reads ' + 'it. */'),
    ('tests/cli/stilted.sh', '# It reads it. What is read is sorted.'),
    ('tests/python/stilted.py', '"""It reads it. What is read is sorted."""'),
    ('tools/dev/stilted', '#!/usr/bin/env python3\n# It writes what comes out.'),
    ('tools/python/stilted.py', 'raise ValueError("it writes what comes out")'),
]
broken = False


def expect(name, command, status, **how):
    global broken
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **how)
    if done.returncode != status:
        broken = True
        print(f'{name}: status {done.returncode}, not {status}', done.stdout, sep='\n')


with tempfile.TemporaryDirectory() as scratch:
    # All programs of this machine except git.
    tar, programs = f'{scratch}/gsort', f'{scratch}/programs'
    for folder in ('datasets', 'kernels', 'src', 'tests', 'tools'):
        shutil.copytree(f'{ROOT}/{folder}', f'{tar}/{folder}')
    os.mkdir(programs)
    for folder in os.environ['PATH'].split(':'):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if not name.startswith('git') and not os.path.lexists(f'{programs}/{name}'):
                os.symlink(f'{folder}/{name}', f'{programs}/{name}')
    for tool in (['check_layers'], ['check_shape.sh'], ['check_scripts'], ['mutate', '--check'], ['prose']):
        expect(' '.join(tool), [f'{tar}/tools/dev/{tool[0]}', *tool[1:]], 0, env={**os.environ, 'PATH': programs})
    # Sources may be better than their counts.
    expect('prose --update', [f'{tar}/tools/dev/prose', '--update'], 0)
    for path, text in STILTED:
        with open(f'{tar}/{path}', 'w', encoding='utf-8') as file:
            file.write(f'{text}\n')
        expect(text, [f'{tar}/tools/dev/prose'], 1)
        os.remove(f'{tar}/{path}')
    for check, name, status, texts in (('check_scripts', 'x.sh', 1, CANNOT_FAIL), ('check_scripts', 'x.sh', 0, CAN_FAIL),
                                       ('check_shape.sh', 'x.c', 1, MISSHAPEN), ('check_shape.sh', 'x.c', 0, SHAPELY)):
        for text in texts:
            with open(f'{scratch}/{name}', 'w', encoding='utf-8') as file:
                file.write(text + '\n')
            expect(text, [f'{ROOT}/tools/dev/{check}', f'{scratch}/{name}'], status)
# The output of this test holds the table of all messages, to be read in one go.
expect('prose --print', [f'{ROOT}/tools/dev/prose', '--print', 'no_such_area'], 2)
print(subprocess.run([f'{ROOT}/tools/dev/prose', '--print', 'messages'], stdout=subprocess.PIPE, text=True, check=True).stdout)
for script in glob.glob(f'{ROOT}/tools/**/*.sh', recursive=True):
    with open(script, encoding='utf-8') as file:
        for line in re.findall('cmake --preset.*', file.read()):
            if '-DGSORT_TESTS=' not in line:
                broken = True
                print(f'{script}: with tests or without? {line}')
sys.exit(broken)
