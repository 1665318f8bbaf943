"""Counts as tests/count.py wants it, and how hard hypothesis tries."""
import os

import hypothesis

hypothesis.settings.register_profile('gsort', deadline=None, database=None, print_blob=True,
                                     max_examples=10 if os.environ.get('GS_TEST_SMALL') else 25)
hypothesis.settings.load_profile('gsort')
COUNTS = {'passed': 0, 'failed': 0, 'skipped': 0}
SKIPS = []


def pytest_runtest_logreport(report):
    if report.skipped:
        COUNTS['skipped'] += 1
        SKIPS.append((report.nodeid, report.longrepr[2].removeprefix('Skipped: ')))
    elif report.failed:
        COUNTS['failed'] += 1
    elif report.when == 'call':
        COUNTS['passed'] += 1


def pytest_collectreport(report):
    if report.failed:
        COUNTS['failed'] += 1


def pytest_unconfigure(config):
    for name, reason in SKIPS:
        print(f'skipped {name}: {reason}')
    print(', '.join(f'{count} {what}' for what, count in COUNTS.items()))
