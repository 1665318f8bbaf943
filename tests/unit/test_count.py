"""count.py makes the right sums, names and exit status of what tests print and CTest writes, and cli/run.sh prints that."""
import os
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
COUNT = os.path.join(TESTS, 'count.py')
GREEN = '[==========] Running 3 test(s).\n[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n'
LIST = '[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] b\n'
ROWS = [  # name; status, output, skipped or not; the lines wanted; status wanted without CI, and with it
    ('program', 'run', 'text', False, [], '1 passed, 0 failed, 0 skipped', 0, 0),
    ('nothing', 'run', '', False, [], '1 passed, 0 failed, 0 skipped', 0, 0),
    ('failed', 'fail', 'text', False, ['FAILED p x', '    text'], '0 passed, 1 failed, 0 skipped', 1, 1),
    ('not there', 'notrun', '', 'Unable to find executable', ['FAILED p x'], '0 passed, 1 failed, 0 skipped', 1, 1),
    ('part', 'run', 'skipped half: no GPU\n', False, ['skipped p x, half: no GPU'], '1 passed, 0 failed, 1 skipped', 0, 0),
    ('part, not on the list', 'run', 'skipped half: no zstd\n', False,
     ['skipped p x, half: no zstd', 'NOT TO BE SKIPPED'], '1 passed, 0 failed, 1 skipped', 0, 1),
    ('cmocka', 'run', GREEN + '[       OK ] b\n[ RUN      ] c\n[       OK ] c\n', False, [],
     '3 passed, 0 failed, 0 skipped', 0, 0),
    ('cmocka, one skipped', 'run', GREEN + 'skipped: no GPU\n[  SKIPPED ] b\n[ RUN      ] c\n[       OK ] c\n' + LIST,
     False, ['skipped p x b: no GPU'], '2 passed, 0 failed, 1 skipped', 0, 0),
    ('cmocka, for no reason', 'run', GREEN + '[  SKIPPED ] b\n[ RUN      ] c\n[       OK ] c\n', False,
     ['skipped p x b: None', 'NOT TO BE SKIPPED'], '2 passed, 0 failed, 1 skipped', 1, 1),
    ('cmocka, one skipped, then run in another way', 'run', '[==========] Running 3 test(s).\n[ RUN      ] a\n[       OK ] a\n'
     '[ RUN      ] b\nskipped: no GPU\n[  SKIPPED ] b\n[ RUN      ] b\n[       OK ] b\n' + LIST, False,
     ['skipped p x b: no GPU'], '2 passed, 0 failed, 1 skipped', 0, 0),
    ('cmocka, a part', 'run', GREEN + 'skipped GPU, spilled: no GPU\n[       OK ] b\n[ RUN      ] c\n[       OK ] c\n',
     False, ['skipped p x b, GPU, spilled: no GPU'], '3 passed, 0 failed, 1 skipped', 0, 0),
    ('cmocka, one failed', 'fail', GREEN + '1 is not 2\n[  FAILED  ] b\n[ RUN      ] c\n[       OK ] c\n', False,
     ['FAILED p x', '    1 is not 2', '    [  FAILED  ] b'], '2 passed, 1 failed, 0 skipped', 1, 1),
    ('cmocka, with lines about how to repeat it', 'fail', GREEN + 'repeat: GS_TEST_SEED=1 program\ncase: 1\njob: gsort in\n',
     False, ['FAILED p x', '    repeat: GS_TEST_SEED=1 program', '    case: 1', '    job: gsort in'],
     '1 passed, 2 failed, 0 skipped', 1, 1),
    ('cmocka, crashed', 'fail', GREEN, False, ['FAILED p x'], '1 passed, 2 failed, 0 skipped', 1, 1),
    ('cmocka, green, but left with an error', 'fail', GREEN + '[       OK ] b\n[ RUN      ] c\n[       OK ] c\n', False,
     ['FAILED p x'], '2 passed, 1 failed, 0 skipped', 1, 1),
    ('cases', 'run', 'skipped y/z: no unshare\n7 passed, 0 failed, 1 skipped\n', False, ['skipped p x y/z: no unshare'],
     '7 passed, 0 failed, 1 skipped', 0, 0),
    ('cases, colons in names and reasons', 'run', 'skipped y.py::test_z[1:2]: no unshare\nskipped y.md:7: see: there\n'
     '7 passed, 0 failed, 2 skipped\n', False,
     ['skipped p x y.py::test_z[1:2]: no unshare', 'skipped p x y.md:7: see: there', 'NOT TO BE SKIPPED'],
     '7 passed, 0 failed, 2 skipped', 0, 1),
    ('cases, and a line of what it left running', 'run', '7 passed, 0 failed, 0 skipped\n(raylet) node died\n', False, [],
     '7 passed, 0 failed, 0 skipped', 0, 0),
    ('cases, a line too few', 'run', '7 passed, 0 failed, 1 skipped\n', False, ['FAILED p x'],
     '7 passed, 1 failed, 0 skipped', 1, 1),
    ('cases, two failed', 'fail', 'FAILED y/z\n7 passed, 2 failed, 0 skipped\n', False, ['FAILED p x', '    FAILED y/z'],
     '7 passed, 2 failed, 0 skipped', 1, 1),
    ('all cases skipped', 'notrun', 'skipped y/z: no GPU\n0 passed, 0 failed, 1 skipped\n', 'SKIP_RETURN_CODE=77',
     ['skipped p x y/z: no GPU'], '0 passed, 0 failed, 1 skipped', 1, 1),
    ('program skipped', 'notrun', 'skipped: no GPU\n', 'SKIP_RETURN_CODE=77', ['skipped p x: no GPU'],
     '0 passed, 0 failed, 1 skipped', 1, 1),
]
# As cmocka prints it from 1.1.6 on.
ROWS += [(name, status, output.replace('] Running', '] tests: Running').replace('] 1 test(s), listed', '] tests: 1 test(s), listed'), *rest)
         for name, status, output, *rest in ROWS if name.startswith('cmocka')]
CASES = {  # of tests/cli, by name: what is in them
    'good': 'echo nothing >file\n',
    'lacks': 'need no-such-command\n',
    'lacks_in_the_middle': 'exec >file\nneed sh no-such-command\n',
    'part': 'skip_part half "no GPU"\nskip_part half "no GPU"\n',
    'says_nothing': 'exit 77\n',
    'wrong': 'echo two lines\n',
}
CASES_PRINT = [
    'skipped cases/lacks: no no-such-command', 'skipped cases/lacks_in_the_middle: no no-such-command',
    'skipped cases/part, half: no GPU', 'FAILED cases/says_nothing: exit 77, not 0; stderr:',
    'repeat: GS_TEST_SEED=7 RUN says_nothing', 'FAILED cases/wrong: stdout is not as expected, but:', '    two lines',
    'repeat: GS_TEST_SEED=7 RUN wrong', '2 passed, 2 failed, 3 skipped']


def junit(status, output, skipped):
    inner = f'<skipped message="{skipped}"/>' if skipped else ''
    return (f'<testsuite><testcase name="x" status="{status}">{inner}<system-out>{escape(output)}</system-out>'
            '</testcase></testsuite>')


def run(path, ci):
    environment = {key: value for key, value in os.environ.items() if key not in ('CI', 'GS_TEST_SEED')}
    if ci:
        environment['CI'] = 'true'
    done = subprocess.run([sys.executable, COUNT, *path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment)
    return done.returncode, done.stdout.splitlines()


broken = False
with tempfile.TemporaryDirectory() as scratch:
    for number, (name, status, output, skipped, lines, closing, plain, in_ci) in enumerate(ROWS):
        path = f'{scratch}/{number}.xml'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(junit(status, output, skipped))
        for ci, want in (False, plain), (True, in_ci):
            code, got = run([f'p={path}'], ci)
            wanted = [line for line in lines if ci or plain or not line.startswith('NOT TO BE')] + [closing]
            if 'FAILED p x' in wanted and 'repeat' not in output:
                shown = sum(line == 'FAILED p x' or line.startswith('    ') for line in wanted)
                wanted.insert(shown, "    repeat: ctest --preset p -R '^x$'")
            good = len(got) == len(wanted) and all(line.startswith(want) for line, want in zip(got, wanted))
            if code != want or not good:
                broken = True
                print(f'{name}, CI {ci}: status {code}, not {want}; lines:', *got, sep='\n    ')
    # Over all presets; and a file that is not there is no count of nothing.
    code, got = run([f'a={scratch}/0.xml', f'b={scratch}/7.xml'], True)
    if code != 0 or got != ['skipped b x b: no GPU', '3 passed, 0 failed, 1 skipped']:
        broken = True
        print(f'two presets: status {code}', *got, sep='\n    ')
    # A test that may be skipped in one preset may not in another.
    with open(f'{scratch}/one.xml', 'w', encoding='utf-8') as file:
        file.write(junit('run', 'skipped half: no io_uring\n', False))
    if [run([f'{preset}={scratch}/one.xml'], True)[0] for preset in ('aarch64', 'release')] != [0, 1]:
        broken = True
        print('a reason of one preset: counts for all, or for none')
    if run(['a=no/such'], False)[0] == 0:
        broken = True
        print('a file that is not there: status 0')
    os.mkdir(f'{scratch}/cases')
    for name, text in CASES.items():
        with open(f'{scratch}/cases/{name}.sh', 'w', encoding='utf-8') as file:
            file.write(text)
    done = subprocess.run([f'{TESTS}/cli/run.sh', scratch, f'{scratch}/cases'], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, 'GS_TEST_SEED': '7', 'GS_TEST_SMALL': ''})
    command = f'{TESTS}/cli/run.sh {scratch} {scratch}/cases'
    if done.returncode != 1 or done.stdout.replace(command, 'RUN').splitlines() != CASES_PRINT:
        broken = True
        print(f'run.sh: status {done.returncode}', done.stdout, sep='\n')
# A third of the cases; of one case that case.
with tempfile.TemporaryDirectory() as scratch:
    for area, count in ('four', 4), ('one', 1):
        os.mkdir(f'{scratch}/{area}')
        for i in range(count):
            with open(f'{scratch}/{area}/{i}.sh', 'w', encoding='utf-8') as file:
                file.write(f'printf " {area}{i}" >>{scratch}/ran\n')
        for third in '123':
            subprocess.run([f'{TESTS}/cli/run.sh', scratch, f'{scratch}/{area}'], stdout=subprocess.DEVNULL, check=True,
                           env={**os.environ, 'GS_TEST_SMALL': '1', 'GS_TEST_THIRD': third})
    with open(f'{scratch}/ran', encoding='utf-8') as file:
        ran = file.read()
    if ran != ' four0 four3 four1 four2 one0 one0 one0':
        broken = True
        print(f'run.sh: a third: {ran}')
sys.exit(broken)
