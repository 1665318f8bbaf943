"""Prints counts for tests/count.py, and limits the examples of hypothesis."""
import os
import shlex

import hypothesis

SEED = f'GS_TEST_SEED={os.environ["GS_TEST_SEED"]} ' if 'GS_TEST_SEED' in os.environ else ''

hypothesis.settings.register_profile('gsort', deadline=None, database=None, print_blob=True,
                                     max_examples=10 if os.environ.get('GS_TEST_SMALL') else 25)
hypothesis.settings.load_profile('gsort')
COUNTS = {'passed': 0, 'failed': 0, 'skipped': 0}
SKIPS, FAILURES = [], []


def pytest_runtest_logreport(report):
    if report.skipped:
        COUNTS['skipped'] += 1
        SKIPS.append((report.nodeid, report.longrepr[2].removeprefix('Skipped: ')))
    elif report.failed:
        COUNTS['failed'] += 1
        FAILURES.append(report.nodeid)
    elif report.when == 'call':
        COUNTS['passed'] += 1


def pytest_collectreport(report):
    if report.failed:
        COUNTS['failed'] += 1


def pytest_unconfigure(config):
    for name, reason in SKIPS:
        print(f'skipped {name}: {reason}')
    for name in FAILURES:
        file, test = name.split('::', 1)
        print(f'repeat: {SEED}tests/python/run.sh {os.environ["LIBGSORT_LIBRARY"]} {shlex.quote(f"{file}::{test}")}')
    print(', '.join(f'{count} {what}' for what, count in COUNTS.items()))
