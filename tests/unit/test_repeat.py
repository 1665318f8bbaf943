#!/usr/bin/env python3
"""repeat.h: a test that fails, crashes or hangs prints how to repeat it, and that line repeats it.

    test_repeat.py PROGRAM      PROGRAM: test_repeat_of, built"""
import os
import subprocess
import sys

PROGRAM = sys.argv[1]
NAME = 'test_way__second__fails'
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith('GS_TEST_')}
JOB = ("job: gsort --record=24 --key=0:u32:desc --key='a name' --reverse --output=out --compress=zstd:3 --spill=always "
       "--io=threads --merge=except --top 7 --memory 1048576 --device cpu in 'i n'")
ROWS = [  # the argument; what is printed besides; whether the tests after it run
    ('assert', f'[  FAILED  ] {NAME}', True),
    ('equal', 'strlen(way) == 1 << 20: 5 and 1048576', True),
    ('signed', '-1 == 1: 18446744073709551615 and 1, as signed numbers -1 and 1', True),
    ('abort', '', False),
    ('thread', '', False),
    ('hang', '', False),
]


def run(arguments, **environment):
    result = subprocess.run(arguments, env={**ENVIRONMENT, **environment}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, shell=isinstance(arguments, str))
    return result.returncode, result.stdout


def check(is_right, way, text):
    if not is_right:
        sys.exit(f'{way}:\n{text}')


def main():
    for way, wanted, continues in ROWS:
        code, text = run([PROGRAM, way], GS_TEST_SECONDS='1', GS_TEST_SEED='20261127', GS_TEST_SMALL='1')
        lines = text.split('\n')
        line = f'repeat: GS_TEST_SEED=20261127 GS_TEST_SMALL=1 GS_TEST_ONLY={NAME} {PROGRAM} {way}'
        check(code != 0 and lines.count(line) == 1 and lines.count('case: number 17') == 1 and lines.count(JOB) == 1 and
              wanted in text and ('test_way__third' in text) == continues and text.count('repeat: ') == 1, way, text)
        code, text = run(line.removeprefix('repeat: '), GS_TEST_SECONDS='1')
        check(code != 0 and line in text and 'Running 1 test' in text, f'{way}, repeated', text)
    for way in 'pass', 'skip':
        code, text = run([PROGRAM, way])
        check(code == 0 and 'repeat' not in text, way, text)
    code, text = run([PROGRAM, 'assert'], GS_TEST_ONLY='*third*')
    check(code == 0 and 'Running 1 test' in text, 'a pattern', text)
    code, text = run([PROGRAM, 'pass'], GS_TEST_ONLY='test_none')
    check(code != 0 and 'matches no test function' in text and NAME in text, 'no test of that name', text)


if __name__ == '__main__':
    main()
