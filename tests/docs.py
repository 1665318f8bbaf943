#!/usr/bin/env python3
"""docs.py BIN_DIR: checks that the commands of the README, the manual, the page for C and C++ and the recipes run as they are
written.

Each fenced block that begins with ```sh is run by bash -eu, block after block of a file in one scratch directory, with
BIN_DIR first in PATH and, for the README, files of the names that it uses. It has to end with exit status 0 and without
a message of gsort's. A block ```text right after it is its output.

After the blocks of a recipe NAME.md, tests/recipes/NAME.py checks the files that they left in the directory. It computes the
expected contents in another way, and ends with exit status 0 if they are equal.

A block ```c or ```cpp is a program: it is built with src/gsort.h and the library beside BIN_DIR, and run, in the same
way.

Commands that cannot run here are in blocks that begin with ```console; CONSOLE lists them, so that none is put there
unseen. The README also keeps to its length, and links in the project lead to files and headings. Prints a line for each block that failed or was skipped, and last
`N passed, N failed, N skipped` (count.py).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MANUAL, CXX, SHORT, RECIPES = 'tools/gsort/MANUAL.md', 'tools/gsort/CXX.md', 'tools/gsort/RECIPES.md', 'tools/gsort/recipes'
PAGES = [f'tools/gsort/manual/{name}.md' for name in ('formats', 'gpus', 'clusters', 'failures', 'promises')]
# Packages that recipes import.
MODULES = re.compile(r'^import (?:.*, )?(numpy|pyarrow|duckdb)\b', re.MULTILINE)
# First word of the block -> why it is no test here; None: another test runs it, or it is what a program printed.
CONSOLE = {
    ('README.md', 'tools/demo.sh'): None,  # tools/dev/bare.sh
    ('README.md', '$ gsort uniform.u64'): None,  # printed by tools/demo.sh
    ('README.md', 'cmake --preset install'): None,  # tests/cli/install.sh
    (SHORT, 'sbatch'): None,  # the block before it runs the script as a task of an array
    (SHORT, 'gsort-gen -d uniform -t u64 -n 134217728'): None,  # tests/python/ray_cluster, with less
    (SHORT, 'docker run'): 'no container',
    (PAGES[0], 'gsort events.fits'): None,  # tests/python/test_formats.py, as the next one
    (PAGES[0], 'region=$(python3'): None,
    (f'{RECIPES}/bustools.md', 'bustools sort'): None,  # the check computes what it writes
    (f'{RECIPES}/gensort.md', 'gensort -a'): None,  # the blocks after it, with the same layout
    (f'{RECIPES}/tippecanoe.md', 'fqsort'): None,  # the check computes what it writes
    (CXX, 'cc orders.c'): None,  # tests/consumer, as the next one
    (CXX, 'export PKG_CONFIG_PATH'): None,
}
LENGTH_MOST = {'README.md': {'lines': 111, 'columns': 100, 'words': 950}, MANUAL: {'lines': 455, 'words': 5090}}
PARAGRAPH_MOST = 80  # words
LINK = re.compile(r'\[[^]]*\]\(([^)\s]+)\)')
FENCE = re.compile(r'```(\w*)\n(.*?)```\n', re.DOTALL)

# The files that the README's commands name.
FILES = '''
gen() { gsort-gen --dist "$1" --type "$2" --count "$3" -o "$4"; }
gen normal f64 50000 prices.f64
gen uniform f32 1000 a.f32
gen uniform f32 1000 b.f32
gen uniform i64 300000 huge.i64
gen few u32 1000 numbers
gen few u32 24000 trades
gen few u32 2500 records
gen zipf u64 30000 words.u64
gen sorted u64 1000 monday.u64
gen sorted u64 1000 tuesday.u64
zstd -q prices.f64
python3 - <<'END'
import struct
header = b"{'descr': [('time', '<i8'), ('price', '<f8')], 'fortran_order': False, 'shape': (1000,), }"
header = header.ljust(117) + b'\\n'
with open('trades.npy', 'wb') as file:
    file.write(b'\\x93NUMPY\\1\\0' + struct.pack('<H', len(header)) + header)
    file.write(b''.join(struct.pack('<qd', i, i * 7 % 100) for i in range(1000)))
END
'''


# How programs are built.
BUILD = {'c': 'cc -std=c17 -Wall -Wextra -Werror -x c', 'cpp': 'c++ -std=c++20 -Wall -Wextra -Werror -x c++'}


class Docs:
    def __init__(self, bin_dir):
        self.bin_dir, self.python = os.path.abspath(bin_dir), find_numpy()
        self.passed = self.failed = self.skipped = 0
        self.console_seen = set()

    def fail(self, where, why):
        self.failed += 1
        print(f'FAILED {where}: {why}')

    def skip(self, where, why):
        self.skipped += 1
        print(f'skipped {where}: {why}')

    def environment(self, scratch):
        """PATH begins with the programs, and a Python that has NumPy, if there is one, which finds libgsort."""
        path = [self.bin_dir, os.environ['PATH']]
        if self.python:
            os.mkdir(os.path.join(scratch, 'python'))
            name = os.path.join(scratch, 'python', 'python3')  # by a link it would not find its packages
            with open(name, 'w', encoding='utf-8') as file:
                file.write(f'#!/bin/sh\nexec {self.python} "$@"\n')
            os.chmod(name, 0o755)
            path.insert(0, os.path.join(scratch, 'python'))
        return {**os.environ, 'PATH': ':'.join(path), 'LC_ALL': 'C', 'TMPDIR': scratch,
                'PYTHONPATH': os.path.join(ROOT, 'tools', 'python'), 'PYTHONDONTWRITEBYTECODE': '1',
                'LIBGSORT_LIBRARY': os.path.join(os.path.dirname(self.bin_dir), 'src', 'libgsort.so')}

    def block(self, where, text, wanted, work, environment):
        if 'numpy' in text and not self.python:
            self.skip(where, 'no NumPy')
            return
        done = subprocess.run(['bash', '-eu', '-c', text], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0 or 'gsort: ' in done.stderr:
            self.fail(where, f'exit {done.returncode}: {done.stderr.strip()}')
        elif wanted is not None and done.stdout != wanted:
            self.fail(where, f'prints\n{done.stdout}')
        else:
            self.passed += 1

    def program(self, where, language, text, wanted, work, environment):
        library = os.path.join(os.path.dirname(self.bin_dir), 'src')
        if not os.path.exists(os.path.join(library, 'libgsort.so')):
            self.skip(where, 'no libgsort.so')
            return
        with open(os.path.join(work, 'program.' + language), 'w', encoding='utf-8') as file:
            file.write(text)
        self.block(where, f"{BUILD[language]} program.{language} -x none -I '{ROOT}/src' -o program '{library}/libgsort.so' "
                          f"-Wl,-rpath,'{library}'; ./program", wanted, work, environment)

    def console(self, where, name, text):
        known = [key for key in CONSOLE if key[0] == name and text.startswith(key[1])]
        self.console_seen.update(known)
        if not known:
            self.fail(where, f'is a ```console block that no test runs, and is not in CONSOLE of {__file__}')
        elif CONSOLE[known[0]] is not None:
            self.skip(where, CONSOLE[known[0]])

    def file(self, name, files, check=None):
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            text = file.read()
        scratch = tempfile.mkdtemp(prefix='gsort-docs-')
        work = os.path.join(scratch, 'work')
        os.mkdir(work)
        environment = self.environment(scratch)
        subprocess.run(['bash', '-eu', '-c', files], cwd=work, env=environment, check=True)
        blocks = list(FENCE.finditer(text))
        for i, match in enumerate(blocks):
            where = f'{name} line {text.count(chr(10), 0, match.start()) + 1}'
            behind = blocks[i + 1] if i + 1 < len(blocks) else None
            has_output = behind and behind[1] == 'text' and text[match.end():behind.start()].strip() == ''
            if match[1] == 'sh':
                self.block(where, match[2], behind[2] if has_output else None, work, environment)
            elif match[1] in BUILD:
                self.program(where, match[1], match[2], behind[2] if has_output else None, work, environment)
            elif match[1] == 'console':
                self.console(where, name, match[2])
            elif match[1] != 'text':
                self.fail(where, 'a fenced block is sh, c, cpp, text or console')
        if check:
            self.block(check, f"python3 '{ROOT}/{check}'", None, work, environment)
        shutil.rmtree(scratch)

    def recipe(self, name):
        check = f'tests/recipes/{os.path.splitext(os.path.basename(name))[0]}.py'
        text = ''
        for path in name, check:
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                text += file.read()
        lacking = [module for module in sorted(set(MODULES.findall(text))) if not has_module(self.python, module)]
        if lacking:
            self.skip(name, 'no ' + ', no '.join(lacking))
        else:
            self.file(name, '', check)

    def length(self, name):
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            text = file.read()
        lines = text.splitlines()
        found = {'lines': len(lines), 'columns': max(map(len, lines)), 'words': len(text.split())}
        too_long = [f'{found[what]} {what}, {most} are the most' for what, most in LENGTH_MOST[name].items() if found[what] > most]
        if too_long:
            self.fail(name, '; '.join(too_long))
        else:
            self.passed += 1

    def paragraphs(self, name):
        """Paragraphs, list items and table cells of the manual are short."""
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            text = FENCE.sub('', file.read())
        blocks = re.split(r'\n\n+|\n(?=- )|(?<!\\)\|', text)
        too_long = [f'{len(block.split())} words: {block.strip()[:60]}' for block in blocks if len(block.split()) > PARAGRAPH_MOST]
        if too_long:
            self.fail(name, f'{PARAGRAPH_MOST} words are the most of a paragraph: ' + ', '.join(too_long))
        else:
            self.passed += 1

    def links(self):
        """Checks the links of all pages: their files and headings exist."""
        broken = []
        for name in pages():
            with open(os.path.join(ROOT, name), encoding='utf-8') as file:
                text = FENCE.sub('', file.read())
            for target in LINK.findall(text):
                path, _, anchor = target.partition('#')
                path = os.path.normpath(os.path.join(ROOT, os.path.dirname(name), path)) if path else os.path.join(ROOT, name)
                if target.startswith('http'):
                    continue
                if not os.path.exists(path) or (anchor and anchor not in anchors_of(path)):
                    broken.append(f'{name}: {target}')
        if broken:
            self.fail('links', ', '.join(broken))
        else:
            self.passed += 1


def pages():
    for top, folders, names in os.walk(ROOT):
        folders[:] = [folder for folder in folders if folder not in ('build', '.git')]
        yield from (os.path.relpath(os.path.join(top, name), ROOT) for name in names if name.endswith('.md'))


def anchors_of(path):
    """Headings as the web makes anchors of them."""
    with open(path, encoding='utf-8') as file:
        headings = re.findall(r'^#+ (.*)$', FENCE.sub('', file.read()), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


def has_module(python, module):
    return python and subprocess.run([python, '-c', f'import {module}'], capture_output=True, check=False).returncode == 0


def find_numpy():
    """The one of tools/dev/setup.sh has more."""
    for python in (os.path.join(ROOT, 'build/python/bin/python3'), shutil.which('python3'), '/usr/bin/python3'):
        if python and os.path.exists(python) and has_module(python, 'numpy'):
            return python
    return None


def main():
    docs = Docs(sys.argv[1])
    for name in LENGTH_MOST:
        docs.length(name)
    docs.file('README.md', FILES)
    for name in [MANUAL] + PAGES:
        docs.file(name, '')
        docs.paragraphs(name)
    docs.file(CXX, '')
    docs.file(SHORT, '')
    for name in sorted(os.listdir(os.path.join(ROOT, RECIPES))):
        docs.recipe(f'{RECIPES}/{name}')
    docs.links()
    for name, begin in CONSOLE.keys() - docs.console_seen:
        docs.fail(name, f'has no ```console block that begins with {begin}')
    print(f'{docs.passed} passed, {docs.failed} failed, {docs.skipped} skipped')
    return 1 if docs.failed else 0


if __name__ == '__main__':
    sys.exit(main())
