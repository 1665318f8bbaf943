"""tables.py: what programs say of their options: --help, which they print from their tables."""
import re
import subprocess

TYPES = 'u32 i32 f32 u64 i64 f64 u128 i128'.split()


class Option:
    """One line of --help, and the lines below it."""

    def __init__(self, names, text, group):
        match = re.fullmatch(r'(?:-(\w), )?--([\w-]+)(?:(\[?=)(.*?)\]?)?', names)
        self.letter, self.name, equals, self.argument = match.groups()
        if equals == '=':
            self.argument = names.split('=', 1)[1]
        self.is_optional = equals == '[='
        self.text, self.group, self.words, self.is_repeatable = text, group, [], False

    @property
    def summary(self):
        """Returns a short text for a menu: the first clause of the first sentence."""
        return re.split(r'[;:.](?: |$)', self.text)[0]

    @property
    def takes(self):
        """'file', 'directory', 'words', 'text' or None."""
        if self.words:
            return 'words'
        return {None: None, 'FILE': 'file', 'F': 'file', 'POSITIONS': 'file', 'DIR': 'directory'}.get(self.argument, 'text')


class Program:
    """A program as its --help shows it."""

    def __init__(self, path, name):
        self.name = name
        self.help = said(path, '--help=all' if name == 'gsort' else '--help')
        self.version = said(path, '--version').split()[1]
        lines = self.help.splitlines()
        blank = lines.index('')
        usage = [line for line in lines[:blank] if line.startswith('Usage: ')]
        self.usage = usage[0][len('Usage: '):]
        self.what = ' '.join(line for line in lines[:blank] if not line.startswith('Usage: '))
        self.closing = ' '.join(lines[max(i for i, line in enumerate(lines) if line == '') + 1:])
        self.groups, self.options, self.commands = [], [], []
        for line in lines[blank:]:
            option = re.match(r'  ((?:-\w, |    )--\S+)(?:  +(.*))?$', line)
            command = re.match(r'  (\w[\w-]*)  +(\S.*)$', line)
            if re.fullmatch(r'[A-Z][a-z ]*', line):
                self.groups.append(line)
            elif option:
                group = self.groups[-1] if self.groups else None
                self.options.append(Option(option[1].strip(), option[2] or '', group))
            elif command and not self.options:
                self.commands.append((command[1], command[2]))
            elif line.startswith(' ' * 33) and self.options:
                self.options[-1].text += (' ' if self.options[-1].text else '') + line.strip()
        for option in self.options:
            if option.argument == 'T':
                option.words = TYPES

    def give_words(self, name, words):
        self.named(name).words = words

    def named(self, name):
        return [option for option in self.options if option.name == name][0]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def programs(bin_dir, option_words):
    """gsort, gsort-gen and gsort-bench, and the distributions of gsort-gen with what they are."""
    gsort, gen, bench = (Program(f'{bin_dir}/{name}', name) for name in ('gsort', 'gsort-gen', 'gsort-bench'))
    for line in said(option_words).splitlines():
        name, *words = line.removeprefix('--').split()
        gsort.named(name).is_repeatable = '+' in words
        if words != ['+']:
            gsort.give_words(name, words)
    distributions = [tuple(line.split(maxsplit=1)) for line in said(f'{bin_dir}/gsort-gen', '--list').splitlines()]
    gen.give_words('dist', [name for name, _ in distributions])
    return gsort, gen, bench, distributions
