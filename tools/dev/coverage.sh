#!/usr/bin/env bash
# coverage.sh: lists how many lines and branches of src the tests run, by folder; fails below 90 % of lines.
#   tools/dev/coverage.sh [-v] [CTEST OPTION]...     -v: by file, with the lines that never ran
# Tests run with fewer repetitions, as under sanitizers. Branches are those of -Og, including branches that no test can take.
set -euo pipefail
cd "$(dirname "$0")/../.."
least=90
is_verbose=false
[ "${1:-}" != -v ] || { is_verbose=true && shift; }
tools/dev/setup.sh tests gcovr
build=build/coverage
cmake --preset coverage -DGSORT_TESTS=ON >/dev/null
cmake --build --preset coverage
find $build -name '*.gcda' -delete
# A case runs gsort as another user, who has to be able to write counts, too.
umask 000
chmod -R a+rwX $build/src $build/tools
ctest --preset coverage -j "$(nproc)" "$@"
gcovr --root . --filter src/ --object-directory $build/src --json-summary $build/summary.json $build/src
! $is_verbose || gcovr --root . --filter src/ --object-directory $build/src $build/src
python3 - $build/summary.json $least <<'P'
import collections
import json
import sys

least = float(sys.argv[2])
summary = json.load(open(sys.argv[1]))
folders = collections.defaultdict(lambda: [0, 0, 0, 0])
for file in summary['files']:
    folder = file['filename'].split('/')[1]
    for name in (folder, 'all'):
        counts = folders[name]
        for i, key in enumerate(('line_covered', 'line_total', 'branch_covered', 'branch_total')):
            counts[i] += file[key]
for name, (lines, line_total, branches, branch_total) in folders.items():
    if name != 'all':
        print('%-8s lines %5.1f %% of %5d   branches %5.1f %% of %5d' % (
            name, 100 * lines / line_total, line_total, 100 * branches / max(branch_total, 1), branch_total))
lines, line_total, branches, branch_total = folders['all']
part = 100 * lines / line_total
print('%-8s lines %5.1f %% of %5d   branches %5.1f %% of %5d' % (
    'src', part, line_total, 100 * branches / branch_total, branch_total))
if part < least:
    sys.exit('coverage.sh: %.1f %% of lines, less than %.0f %%' % (part, least))
P
