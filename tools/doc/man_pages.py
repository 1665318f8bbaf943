"""man_pages.py: manual pages in the language of man(7), from Markdown, from --help and from gsort.h."""
import re
import textwrap

COLUMNS = 78
FENCE = re.compile(r'```\w*\n(.*?)```', re.DOTALL)
ENTRY = re.compile(r'\| (`.*?) \| (.*) \|$')


def plain(text):
    """Text as the formatter takes it: its escapes, and dashes that can be typed."""
    text = text.replace('\\', '\\e').replace('-', '\\-').replace('−', '\\-').replace('–', '\\[en]')
    text = text.replace("'", '\\[aq]').replace('`', '\\[ga]').replace('^', '\\[ha]').replace('~', '\\[ti]')
    return ''.join(character if ord(character) < 128 else f'\\[u{ord(character):04X}]' for character in text)


def inline(text):
    """`code`, **bold** and links of one paragraph."""
    text = re.sub(r'\[([^]]*)\]\((https?://[^)]*)\)', r'\1 (\2)', text)
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', text)
    parts = re.split(r'(`[^`]+`|\*\*.+?\*\*)', text)
    made = []
    for part in parts:
        if part.startswith('`'):
            made.append('\\fB' + plain(part[1:-1]) + '\\fR')
        elif part.startswith('**'):
            made.append('\\fB' + plain(part[2:-2].replace('`', '')) + '\\fR')
        else:
            made.append(plain(part))
    return ''.join(made)


def lines_of(text):
    """Made text in lines, none of which begins as a request does."""
    lines = []
    for sentence in re.split(r'(?<=[a-z0-9)][.!?:]) (?=[A-Z])', ' '.join(text.split())):
        for line in textwrap.wrap(sentence, COLUMNS, break_long_words=False, break_on_hyphens=False):
            lines.append('\\&' + line if line[0] in ".'" else line)
    return lines


def example(text):
    lines = ['.PP', '.RS 4', '.EX']
    for line in text.rstrip('\n').split('\n'):
        lines.append(('\\&' if line.startswith('.') else '') + plain(line))
    return lines + ['.EE', '.RE']


def head(name, section, version, date, what):
    return [f'.\\" Made by tools/doc; edits are lost.',
            f'.TH {name.upper()} {section} {date} "gsort {version}" "gsort"',
            '.SH NAME', f'{plain(name)} \\- {plain(what)}']


def options_of(program, entries):
    """Each option under its heading; entries: what the manual says of some, by name."""
    lines, group = [], None
    for option in program.options:
        if option.group and option.group != group:
            lines.append(f'.SS {plain(option.group)}')
        group = option.group
        argument = '' if not option.argument else f'[={option.argument}]' if option.is_optional else f'={option.argument}'
        names = ([f'\\fB\\-{option.letter}\\fR'] if option.letter else []) + [f'\\fB{plain("--" + option.name)}\\fR']
        tail = re.sub(r'[A-Z]+[0-9]?', lambda match: f'\\fI{match[0]}\\fR', plain(argument))
        lines += ['.TP', ', '.join(names) + tail]
        lines += lines_of(inline(entries[option.name]) if entries else plain(option.text[0].upper() + option.text[1:] + '.'))
    return lines


def block(text):
    """A paragraph, a list or a table of Markdown."""
    if text.startswith('- '):
        lines = []
        for item in re.split(r'^- ', text, flags=re.MULTILINE)[1:]:
            lines += ['.IP \\(bu 2'] + lines_of(inline(item))
        return lines
    if text.startswith('|'):
        lines = []
        for row in text.splitlines()[2:]:
            first, *others = [cell.strip() for cell in row.strip('|').split(' | ')]
            lines += ['.PP'] + lines_of(inline(first)) + ['.RS 4']
            lines += lines_of(inline(others[0] + ''.join(f' ({cell})' for cell in others[1:]))) + ['.RE']
        return lines
    return ['.PP'] + lines_of(inline(text))


def body(text):
    """A section of the manual."""
    lines = []
    for index, part in enumerate(FENCE.split(text)):
        if index % 2 == 1:
            lines += example(part)
            continue
        for paragraph in re.split(r'\n\n+', part.strip()):
            if paragraph.startswith('### '):
                lines.append(f'.SS {plain(paragraph[4:])}')
            elif paragraph:
                lines += block(paragraph)
    return without_idle_paragraphs(lines)


def without_idle_paragraphs(lines):
    """A paragraph that begins where one begins anyway is not said."""
    return [line for before, line in zip([''] + lines, lines)
            if line != '.PP' or not before.startswith(('.SH', '.SS')) and before != '']


def page(lines):
    return '\n'.join(without_idle_paragraphs(lines)) + '\n'


def gsort_page(program, manual, pages, recipes, date):
    """The manual, its other pages by name, and the recipes."""
    sections = re.split(r'^## (.*)\n', manual, flags=re.MULTILINE)
    intro = sections[0].split('\n\n')[2]
    entries, names = {}, []
    chapters = dict(zip(sections[1::2], sections[2::2]))
    options = chapters.pop('Options')
    for line in options.splitlines():
        match = ENTRY.match(line)
        if match:
            name = re.search(r'--([\w-]+)', match[1])[1]
            entries[name] = match[2]
            names.append(name)
    if names != [option.name for option in program.options]:
        raise ValueError('the manual names other options than gsort --help: '
                         + ' '.join(sorted(set(names) ^ {option.name for option in program.options})))
    lines = head('gsort', 1, program.version, date, 'sort huge binary files, larger than memory too')
    lines += ['.SH SYNOPSIS', synopsis(program), '.SH DESCRIPTION'] + body(intro)
    lines += ['.SH OPTIONS'] + body(options.split('###')[0]) + options_of(program, entries)
    for title, text in chapters.items():
        lines += [f'.SH {plain(title.upper())}'] + body(text)
    begin, status, rest = re.split(r'## Exit status\n(.*?)(?=^## )', pages['failures'], flags=re.DOTALL | re.MULTILINE)
    for text in (pages | {'failures': begin + rest}).values():
        title, text = re.match(r'# (.*?)\n(.*)', text, re.DOTALL).groups()
        lines += [f'.SH {plain(title.upper())}'] + body(re.sub('^## ', '### ', text, flags=re.MULTILINE))
    lines += ['.SH EXIT STATUS'] + body(status) + ['.SH EXAMPLES'] + body(recipes.split('\n\n', 1)[1])
    return page(lines + see_also('gsort-bench (1)', 'gsort-gen (1)', 'libgsort (3)', 'sort (1)'))


def synopsis(program):
    name, _, others = program.usage.partition(' ')
    return f'\\fB{plain(name)}\\fR {plain(others)}'


def see_also(*names):
    return ['.SH SEE ALSO'] + [f'.BR {plain(name)}' + (' ,' if name != names[-1] else '') for name in names]


def closing(program):
    prose, _, status = program.closing.partition('Exit status: ')
    return (['.PP'] + lines_of(plain(prose)) if prose.strip() else []) + ['.SH EXIT STATUS'] + lines_of(plain(status))


def program_page(program, title, texts, date):
    """gsort-gen and gsort-bench: their help, with a list of what they make or measure."""
    lines = head(program.name, 1, program.version, date, program.what.split(';')[0].rstrip('.').lower())
    lines += ['.SH SYNOPSIS', synopsis(program), '.SH DESCRIPTION'] + lines_of(plain(program.what))
    end = closing(program)
    at = end.index('.SH EXIT STATUS')
    lines += end[:at] + [f'.SH {title}']
    for name, text in texts:
        lines += ['.TP', f'\\fB{plain(name)}\\fR'] + lines_of(plain(text[0].upper() + text[1:] + '.'))
    lines += ['.SH OPTIONS'] + options_of(program, None) + end[at:]
    others = {'gsort-gen': 'gsort-bench', 'gsort-bench': 'gsort-gen'}
    return page(lines + see_also('gsort (1)', f'{others[program.name]} (1)'))


def comment_lines(comment):
    """A comment of gsort.h: paragraphs, tagged lines, examples."""
    text = '\n'.join(re.sub(r'^ ?\* ?', '', line) for line in comment[2:-2].strip('\n ').split('\n'))
    lines = []
    for index, part in enumerate(re.split(r'^\n((?:    \S[^\n]*\n| {5,}[^\n]*\n)+)', text + '\n', flags=re.MULTILINE)):
        if index % 2 == 1:
            lines += example(textwrap.dedent(part))
            continue
        for paragraph in re.split(r'\n(?=gs_\w+[:,]|in    |out   |fails |[A-Z]\w+(?: \w+)?: )|\n\n', part.strip('\n')):
            tag = re.match(r'(in|out|fails) +(.*)', paragraph, re.DOTALL)
            if tag:
                lines += ['.TP', f'\\fI{tag[1]}\\fR']
                for index, argument in enumerate(re.split(r'\n +(?=\w+: )', tag[2])):
                    lines += ['.br'] * (index > 0) + lines_of(inline(argument))
            elif paragraph.strip():
                lines += ['.PP'] + lines_of(re.sub(r'\bgs_\w+(?=[:(])', r'\\fB\g<0>\\fR', inline(paragraph)))
    return lines


def library_page(header, version, date):
    """Yields the comments of gsort.h in order, each with the declaration after it."""
    top, rest = header.split('#ifndef GSORT_H', 1)
    declared = rest.split('visibility("default")))\n', 1)[1].split('/* Under the inline functions', 1)[0]
    what = top.split('gsort.h: ', 1)[1]
    lines = head('libgsort', 3, version, date, what.split(';')[0])
    lines += ['.SH SYNOPSIS', '.B #include <gsort.h>', '.PP', f'\\fB{plain("cc file.c $(pkg-config --cflags --libs gsort)")}\\fR']
    lines += ['.SH DESCRIPTION'] + comment_lines('/*' + what[0].upper() + what[1:].strip())
    lines += ['.SH INTERFACE']
    for part in re.split(r'\n\n+', declared.strip()):
        comment = re.match(r'/\*.*?\*/\n?', part, re.DOTALL)
        code = part[comment.end():] if comment else part
        if comment and (code.strip() or not lines[-1].startswith('.SH')):
            lines += comment_lines(comment[0].rstrip())
        if code.strip():
            lines += example(re.sub(r'^(GS_API |static inline )([^;]*;)',
                                    lambda match: re.sub(rf'^ {{{len(match[1])}}}', '', match[2], flags=re.MULTILINE),
                                    code, flags=re.MULTILINE))
    return page(lines + see_also('gsort (1)'))
