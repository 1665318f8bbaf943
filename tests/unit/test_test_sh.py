#!/usr/bin/env python3
"""tools/test.sh: what it builds and tests, in which order, and what it prints, with programs in place of cmake and ctest."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
STUBS = {
    'bin/cmake': 'echo "cmake $*" >>"$LOG"; [ "$1" != --build ] || sleep 0.2\n[ "$*" != "--build --preset $BROKEN" ] || '
                 '{ echo "x.c:7: error: no such thing"; exit 1; }\necho "-- Kernels: none"\n[ "$1" != --build ] || echo "built $3" >>"$LOG"',
    'bin/ctest': 'echo "ctest $2 third=$GS_TEST_THIRD seed=$GS_TEST_SEED" >>"$LOG"; sleep 0.5\n'
                 'echo "tested $2" >>"$LOG"; [ "$2" != "$FAILING" ]',
    'tools/dev/setup.sh': '[ "$1" != "$LACKING" ]',
    'tools/dev/lint.sh': 'exit 0',
    'tests/count.py': 'import sys; print(*(argument.split("=")[0] for argument in sys.argv[1:]))'}


def run(arguments, **environment):
    with tempfile.TemporaryDirectory() as top:
        for name, text in STUBS.items():
            os.makedirs(os.path.dirname(f'{top}/{name}'), exist_ok=True)
            with open(f'{top}/{name}', 'w', encoding='utf-8') as file:
                file.write(text if name.endswith('.py') else '#!/bin/bash\n' + text + '\n')
            os.chmod(f'{top}/{name}', 0o755)
        shutil.copy(f'{ROOT}/tools/test.sh', f'{top}/tools/test.sh')
        kept = {name: value for name, value in os.environ.items() if not name.startswith('GS_TEST_')}
        done = subprocess.run([f'{top}/tools/test.sh', *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**kept, 'PATH': f'{top}/bin:{kept["PATH"]}', 'LOG': f'{top}/log', **environment})
        with open(f'{top}/log', encoding='utf-8') as file:
            return done.returncode, done.stdout, file.read().splitlines()


def thirds(log):
    """The third with which each preset was configured."""
    return dict(re.findall(r'^cmake --preset (\S+) .*-DGSORT_TESTS_THIRD=(\d?)$', '\n'.join(log), re.MULTILINE))


def check(is_right, *what):
    if not is_right:
        print(*what, sep='\n')
        sys.exit(1)


def main():
    code, text, log = run(['release', 'tsan', 'aarch64'], GS_TEST_SEED='5', GS_TEST_THIRD='2')
    tests = [line.rstrip() for line in log if line.startswith('ctest')]
    check(code == 0 and text.splitlines()[-1] == 'release tsan aarch64', 'all green', text)
    check(tests == [f'ctest {preset} third=2 seed=5' for preset in ('release', 'tsan', 'aarch64')], *tests)
    check(thirds(log) == {'release': '2', 'tsan': '2', 'aarch64': '2'}, 'which tests are left out', *log)
    check(log.index('built tsan') < log.index('tested release'), 'the next preset is built during the tests', *log)
    check('GS_TEST_SEED=5 GS_TEST_THIRD=2 tools/test.sh release tsan aarch64 replays this run' in text, 'how to replay', text)
    code, text, log = run(['aarch64'], GS_TEST_ALL='1')
    check(any(line.startswith('ctest aarch64 third= seed=') for line in log) and thirds(log) == {'aarch64': ''}, 'GS_TEST_ALL', *log)
    code, text, log = run(['aarch64', 'tsan'], LACKING='aarch64')
    check(code == 0 and not any('aarch64' in line for line in log) and 'tested tsan' in log, 'no cross compiler', text, *log)
    code, text, log = run(['release', 'tsan'], BROKEN='tsan')
    check(code == 1 and 'x.c:7: error: no such thing' in text and 'tested release' in log and 'tsan does not build' in text and
          'tested tsan' not in log, 'a build that fails', text, *log)
    code, text, log = run(['release', 'tsan'], FAILING='release')
    check(code == 1 and 'tested tsan' in log, 'a test that fails', text, *log)


if __name__ == '__main__':
    main()
