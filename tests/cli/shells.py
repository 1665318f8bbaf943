#!/usr/bin/env python3
"""shells.py BIN_DIR DOC_DIR: manual pages and completions, as the build made them, say what the programs do.

- mandoc finds nothing to complain of in the pages.
- Every option of --help, and no other, is in the page and is completed by bash, zsh and fish.
- In these shells, typed at a terminal: names of options, words, files, directories.

Prints a line for each thing that is wrong, `skipped PART: REASON` for what is not installed; exit status 1 if anything
is wrong.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAMS = ('gsort', 'gsort-gen', 'gsort-bench')
# The text before the tabulator, and the arguments that the program gets at the end.
TYPED = (
    ('gsort --device-me', '2G', ['--device-memory=2G']),
    ('gsort --device=cu', '', ['--device=cuda']),
    ('gsort --device cu', '', ['--device', 'cuda']),
    ('gsort --stats=js', '', ['--stats=json']),
    ('gsort -t u12', '', ['-t', 'u128']),
    ('gsort -o one', '', ['-o', 'one file.u64']),
    ('gsort --output=one', '', ['--output=one file.u64']),
    ('gsort -T some', '', ['-T', 'some place/']),
    ('gsort one', '', ['one file.u64']),
    ('gsort-gen --dist saw', '', ['--dist', 'sawtooth']),
    ('gsort-bench verb', '', ['verbs']),
    ('gsort-bench disk --rep', '3', ['disk', '--repeat=3']),
)
SECONDS = 30


class Checks:
    def __init__(self, bin_dir, doc_dir):
        self.bin_dir, self.doc_dir, self.wrong = os.path.abspath(bin_dir), os.path.abspath(doc_dir), 0

    def fail(self, text):
        print(text)
        self.wrong += 1

    def has(self, command):
        if shutil.which(command):
            return True
        print(f'skipped {command}: no {command}')
        return False

    def options(self, program):
        text = subprocess.run([f'{self.bin_dir}/{program}', '--help=all' if program == 'gsort' else '--help'], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r'^  (?:-\w, |    )(--[\w-]+)', text, re.MULTILINE))

    def compare(self, what, program, found):
        wanted = self.options(program)
        for name in sorted(wanted ^ found):
            self.fail(f'{what}: {program}: {name}: ' + ('is not there' if name in wanted else 'is no option'))


def pages(checks):
    folder = f'{checks.doc_dir}/man'
    names = sorted(os.listdir(folder))
    if names != ['gsort-bench.1', 'gsort-gen.1', 'gsort.1', 'libgsort.3']:
        checks.fail(f'man: {names}')
    if not checks.has('mandoc'):
        return
    for name in names:
        told = subprocess.run(['mandoc', '-T', 'lint', f'{folder}/{name}'], capture_output=True, text=True, check=False)
        if told.returncode != 0 or told.stdout:
            checks.fail(told.stdout)
        text = subprocess.run(['mandoc', '-T', 'ascii', f'{folder}/{name}'], capture_output=True, text=True, check=True).stdout
        text = re.sub('.\b', '', text)
        for title, first in re.findall(r'^([A-Z][A-Z ]+)\n+ +(.*)', text, re.MULTILINE):
            if title not in ('NAME', 'SYNOPSIS', 'SEE ALSO', 'COMMANDS', 'DISTRIBUTIONS') and not re.match('[A-Z0-9"`-]|(lib)?gsort |o ', first):
                checks.fail(f'man: {name}: {title} begins within a sentence: {first}')
        if name.endswith('.1'):
            shown = text[text.index('\nOPTIONS'):text.index('\nEXIT STATUS')]
            checks.compare('man', name[:-2], set(re.findall(r'^       (?:-\w, )?(--[\w-]+)(?:\[?=|\s|$)', shown, re.MULTILINE)))


def bash_lists(checks):
    script = 'source "$1"; compopt() { :; }; COMP_WORDS=("$2" --) COMP_CWORD=1; "_${2//-/_}"; printf "%s\\n" "${COMPREPLY[@]}"'
    for program in PROGRAMS:
        told = subprocess.run(['bash', '-uc', script, '-', f'{checks.doc_dir}/completions/bash/{program}', program],
                              capture_output=True, text=True, check=False)
        if told.returncode != 0 or told.stderr:
            checks.fail(f'bash: {program}: {told.stderr}')
        checks.compare('bash', program, {line.rstrip('=') for line in told.stdout.splitlines()})


def fish_lists(checks, home):
    for program in PROGRAMS:
        script = f'source "{checks.doc_dir}/completions/fish/{program}.fish"; complete -C "{program} --"'
        told = subprocess.run(['fish', '--no-config', '-c', script], env={**os.environ, 'HOME': home}, capture_output=True,
                              text=True, check=False)
        if told.returncode != 0:
            checks.fail(f'fish: {program}: {told.stderr}')
        checks.compare('fish', program, {line.split('\t')[0].rstrip('=') for line in told.stdout.splitlines()})


class Terminal:
    """A shell at a terminal, whose programs print what they are given."""

    def __init__(self, command, home, environment):
        self.text = ''
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(home)
            os.execvpe(command[0], command, environment)

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, wanted):
        """Returns what was printed up to `wanted`; None: that was not printed."""
        end = time.monotonic() + SECONDS
        while wanted not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                data = os.read(self.fd, 65536) if ready else b''
            except OSError:
                data = b''
            if not data:
                return None
            self.text += data.decode(errors='replace')
        before, self.text = self.text.split(wanted, 1)
        return before

    def close(self):
        os.close(self.fd)
        os.waitpid(self.child, 0)


def plain(words):
    """The shell decides whether a value is a word of its own, and whether a directory has a slash."""
    return re.sub(r'(?<=--)([\w-]+) (?=[^-])', r'\1=', ' '.join(words)).rstrip('/')


def typed(checks, shell, command, setup, environment, home):
    terminal = Terminal(command, home, environment)
    terminal.send(setup + "\necho 'is' 'ready'\n")
    if terminal.until('is ready') is None:
        checks.fail(f'{shell}: does not begin: {terminal.text[-300:]}')
    for line, behind, wanted in TYPED if terminal.text is not None else ():
        terminal.send(f'{line}\t{behind}\n')
        said = terminal.until('>end')
        given = re.findall(r'<([^<>]*)>', said.split('begin<', 1)[1] if said and 'begin<' in said else '')
        if said is None or plain([word for word in given if word]) != plain(wanted):
            checks.fail(f'{shell}: {line}: {given if said else terminal.text[-300:]!r}, not {wanted}')
        if said is None:
            break
    terminal.send('exit\n')
    terminal.close()


def zsh_lists(checks, environment, home, setup):
    terminal = Terminal(['zsh', '-f', '-i'], home, environment)
    terminal.send(setup + "\nLISTMAX=1000; stty rows 400 cols 300; echo 'is' 'ready'\n")
    terminal.until('is ready')
    for program in PROGRAMS:
        # Typing while zsh works would keep it from listing: wait for the last name first.
        last = max(checks.options(program))
        terminal.send(f'{program} --\t\t')
        said = (terminal.until(last) or '') + last
        terminal.send('\x15echo do"ne"\n')
        said += terminal.until('\ndone') or ''
        said = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', said)
        checks.compare('zsh', program, set(re.findall(r'(?m)(?:^|\s)(--[a-z][\w-]*)(?==?(?:\s|$))', said)))
    terminal.send('exit\n')
    terminal.close()


def main():
    checks = Checks(*sys.argv[1:])
    pages(checks)
    bash_lists(checks)
    scratch = tempfile.mkdtemp(prefix='gsort-shells-')
    home, fake = f'{scratch}/home', f'{scratch}/bin'
    os.makedirs(f'{home}/some place')
    os.mkdir(fake)
    open(f'{home}/one file.u64', 'wb').close()
    for program in PROGRAMS:
        with open(f'{fake}/{program}', 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\nprintf "begin<>"\nprintf "<%s>" "$@"\necho ">end"\n')
        os.chmod(f'{fake}/{program}', 0o755)
    environment = {'PATH': f'{fake}:{os.environ["PATH"]}', 'HOME': home, 'TERM': 'dumb', 'PS1': '$ ', 'LC_ALL': 'C.UTF-8'}
    folder = f'{checks.doc_dir}/completions'
    sources = '; '.join(f'source {folder}/bash/{program}' for program in PROGRAMS)
    typed(checks, 'bash', ['bash', '--norc', '--noprofile', '-i'], sources, environment, home)
    if checks.has('zsh'):
        setup = f'fpath=({folder}/zsh $fpath); autoload -Uz compinit; compinit -u -D; PS1="$ "; setopt no_beep'
        typed(checks, 'zsh', ['zsh', '-f', '-i'], setup, environment, home)
        zsh_lists(checks, environment, home, setup)
    if checks.has('fish'):
        fish_lists(checks, home)
        sources = '; '.join(f'source {folder}/fish/{program}.fish' for program in PROGRAMS)
        typed(checks, 'fish', ['fish', '--no-config', '-i'], sources, environment, home)
    shutil.rmtree(scratch)
    return 1 if checks.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
