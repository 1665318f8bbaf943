#!/usr/bin/env python3
"""Counts results of tests. Fails if one failed or, with CI set, was skipped for a reason that may_skip.txt does not list for the
preset.

    count.py NAME=FILE...      FILE: what `ctest --output-junit FILE` wrote of the preset NAME

Prints a line for each skip and failure, and the last output of a failed test with the command that repeats it. The last
line is `N passed, N failed, N skipped`. A case is a test of a cmocka program, a script of tests/cli, or else a test of
CTest. Each case counts. Tests print:

    skipped: REASON               by a cmocka test, or a program as a whole: it does not run on this machine
    skipped PART: REASON          a part of it does not; counted as skipped, beside the rest
    N passed, N failed, N skipped         by what runs several cases, each skipped one with a line as above; the last such
                                          line counts, as what a test started may write after it
    repeat: COMMAND               after a failure: the command that repeats it; then perhaps lines `case: ...` and `job: ...`
"""
import os
import re
import sys
import xml.etree.ElementTree as tree

SKIPPED = re.compile(r'skipped(?: (.+?))?: (.+)')  # a part may have colons in its name: file.py::test, file:line
CLOSING = re.compile(r'(\d+) passed, (\d+) failed, (\d+) skipped')
RUNNING = re.compile(r'\[==========\] (?:\w+: )?Running (\d+) test\(s\)\.')  # from 1.1.6 on with the group's name
SHOWN_LINES, SHOWN_WIDTH = 12, 300  # of what a failed test printed
REPEAT = re.compile(r'(?:repeat|case|job): .+')
CMOCKA = re.compile(r'\[( RUN      |       OK |  SKIPPED )\] (\S+)')


class Count:
    def __init__(self):
        self.passed, self.failed = 0, 0
        self.skips = []  # (name, reason)
        self.failures = []  # (name, the end of what it printed)

    def fail(self, name, count=1, lines=()):
        said = [line for line in lines if line and not (RUNNING.fullmatch(line) or CMOCKA.fullmatch(line) or
                                                        SKIPPED.fullmatch(line) or CLOSING.fullmatch(line))]
        self.failed += count
        self.failures.append((name, said[-SHOWN_LINES:]))


def add_cmocka(count, name, lines, has_failed):
    """Tests that a crash kept from running have failed, too."""
    total = ok = skipped = 0
    running = reason = None
    for line in lines:
        if match := RUNNING.fullmatch(line):
            total += int(match[1])
        elif match := CMOCKA.fullmatch(line):
            if match[1] == ' RUN      ':
                running, reason = match[2], None
            elif match[1] == '       OK ':
                ok += 1
                running = None
            elif match[2] == running:  # not the list at the end
                count.skips.append((f'{name} {running}', reason))
                skipped += 1
                running = None
        elif match := SKIPPED.fullmatch(line):
            if match[1] is None:
                reason = match[2]
            else:
                count.skips.append((f'{name} {running}, {match[1]}', match[2]))
    failed = max(total - ok - skipped, 1) if has_failed else 0
    count.passed += max(total - failed - skipped, 0)
    if failed > 0:
        count.fail(name, failed, lines)


def add_cases(count, name, lines, closing, has_failed):
    """A program that counts itself; its sums are believed only if they agree with its lines and its exit status."""
    passed, failed, skipped = map(int, closing.groups())
    skips = [(f'{name} {match[1]}', match[2]) for match in map(SKIPPED.fullmatch, lines) if match]
    count.passed += passed
    count.skips += skips
    if has_failed or failed > 0 or len(skips) != skipped:
        count.fail(name, max(failed, 1), lines)


def add_program(count, name, lines, has_failed, is_skipped):
    reason = None
    for match in map(SKIPPED.fullmatch, lines):
        if match and match[1] is None:
            reason = match[2]
        elif match:
            count.skips.append((f'{name}, {match[1]}', match[2]))
    if is_skipped:
        count.skips.append((name, reason))
    elif has_failed:
        count.fail(name, 1, lines)
    else:
        count.passed += 1


def add_test(count, preset, case):
    name = f'{preset} {case.get("name")}'
    skipped = case.find('skipped')  # also where a program is not there, or a test could not be started
    is_skipped = skipped is not None and (skipped.get('message') or '').startswith('SKIP_')
    has_failed = case.get('status') != 'run' and not is_skipped
    lines = [line.rstrip() for line in (case.findtext('system-out') or '').strip().split('\n')]
    closing = next(filter(None, map(CLOSING.fullmatch, reversed(lines))), None)
    seed = f'GS_TEST_SEED={os.environ["GS_TEST_SEED"]} ' if 'GS_TEST_SEED' in os.environ else ''
    failures = len(count.failures)
    if any(map(RUNNING.fullmatch, lines)):
        add_cmocka(count, name, lines, has_failed)
    elif closing:
        add_cases(count, name, lines, closing, has_failed)
    else:
        add_program(count, name, lines, has_failed, is_skipped)
    if len(count.failures) > failures:
        said = count.failures[-1][1]
        repeat = [line for line in lines if REPEAT.fullmatch(line)]
        repeat = repeat or [f"repeat: {seed}ctest --preset {preset} -R '^{case.get('name')}$'"]
        said += [line for line in repeat if line not in said]


def allowed_reasons():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'may_skip.txt'), encoding='utf-8') as file:
        return {line.strip() for line in file if line.strip() and not line.startswith('#')}


def main():
    count = Count()
    for argument in sys.argv[1:]:
        preset, path = argument.split('=', 1)
        cases = tree.parse(path).getroot().findall('testcase')
        if not cases:
            count.fail(f'{preset}: no tests')
        for case in cases:
            add_test(count, preset, case)
    allowed = allowed_reasons()
    for name, reason in count.skips:
        print(f'skipped {name}: {reason}')
    for name, said in count.failures:
        print(f'FAILED {name}')
        for line in said:
            print(f'    {line[:SHOWN_WIDTH]}')
    wrong = [name for name, reason in count.skips
             if reason is None or os.environ.get('CI') and not {reason, f'{name.split()[0]}: {reason}'} & allowed]
    for name in wrong:
        print(f'NOT TO BE SKIPPED here, where CI is set, or for no reason: {name}')
    print(f'{count.passed} passed, {count.failed} failed, {len(count.skips)} skipped')
    return 1 if count.failed > 0 or wrong or count.passed == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
