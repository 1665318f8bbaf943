"""completions.py: what bash, zsh and fish complete, from the tables of options."""

MADE = 'completions of {0} for {1}, made from its table of options by tools/doc.'


def fold(words, indent, most=110):
    """Words in lines, as one word list of a shell."""
    lines, line = [], ''
    for word in words:
        if line and len(line) + len(word) + 1 > most:
            lines.append(line)
            line = ''
        line += (' ' if line else '') + word
    return ('\n' + indent).join(lines + [line])


def names_of(option):
    return ([f'-{option.letter}'] if option.letter else []) + [f'--{option.name}']


def bash(program):
    """The line may hold --name=value as one word, or as three: = ends words by default."""
    cases = []
    for option in program.options:
        patterns = '|'.join(names_of(option)) if not option.is_optional else f'--{option.name}'
        if option.takes == 'words':
            cases.append(f'    {patterns})\n        words="{fold(option.words, "            ")}" ;;')
        elif option.takes in ('file', 'directory'):
            cases.append(f'    {patterns}) kind={option.takes} ;;')
        elif option.takes == 'text':
            cases.append(f'    {patterns}) kind=text ;;')
    optional = '|'.join(f'--{option.name}' for option in program.options if option.is_optional)
    after = f'''
    case $prev in # an argument that may be left out comes behind = only
    {optional}) [[ $equals ]] || prev= ;;
    esac''' if optional else ''
    everything = [f'--{option.name}{"=" if option.argument and not option.is_optional else ""}' for option in program.options]
    everything += [f'-{option.letter}' for option in program.options if option.letter]
    function = '_' + program.name.replace('-', '_')
    operands = f'words="{fold([name for name, _ in program.commands], "            ")}"' if program.commands else \
        'kind=text' if program.name == 'gsort-gen' else 'kind=file'
    return f'''# {MADE.format(program.name, 'bash')}
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} words= kind= equals=
    if [[ $cur == = ]]; then
        cur= equals=1
    elif [[ $prev == = ]]; then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}} equals=1
    elif [[ $cur == --*=* ]]; then
        prev=${{cur%%=*}} cur=${{cur#*=}} equals=1
    fi{after}
    case $prev in
{chr(10).join(cases)}
    *)
        if [[ $cur == -* ]]; then
            words="{fold(everything, "            ")}"
        else
            {operands}
        fi ;;
    esac
    COMPREPLY=()
    if [[ $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [[ $kind == directory ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        compopt -o filenames
    elif [[ $kind == file ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames
    fi
    [[ ${{COMPREPLY[0]-}} != --*= ]] || compopt -o nospace
}}
complete -F {function} {program.name}
'''


def zsh_quoted(text):
    """In a specification of _arguments, in single quotes."""
    for character in '\\[]:':
        text = text.replace(character, '\\' + character)
    return text.replace("'", "'\\''")


def zsh(program):
    specs = []
    for option in program.options:
        text = zsh_quoted(option.summary)
        action = {'words': f'({" ".join(option.words)})', 'file': '_files', 'directory': '_files -/', 'text': ' '}
        tail = f':{option.argument and zsh_quoted(option.argument)}:{action[option.takes]}' if option.takes else ''
        if option.is_optional:
            tail = ':' + tail
        long = f'--{option.name}{"=-" if option.is_optional else "=" if tail else ""}'
        if option.is_optional:
            specs.append(f"'(--{option.name}){long}[{text}]{tail}'")
            continue
        if option.letter:
            short = f'-{option.letter}{"+" if tail else ""}'
            begin = "'*'" if option.is_repeatable else f"'({' '.join(names_of(option))})'"
            specs.append(f"{begin}{{{short},{long}}}'[{text}]{tail}'")
        else:
            specs.append(f"'{'*' if option.is_repeatable else ''}{long}[{text}]{tail}'")
    if program.commands:
        specs.append("'1:command:((" + ' '.join(f'{name}\\:"{text}"' for name, text in
                                               ((n, zsh_quoted(t)) for n, t in program.commands)) + "))'")
    elif program.name != 'gsort-gen':
        specs.append("'*:file:_files'")
    return (f'#compdef {program.name}\n# {MADE.format(program.name, "zsh")}\n_arguments -s -S \\\n    '
            + ' \\\n    '.join(specs) + '\n')


def fish_quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish(program):
    lines = [f'# {MADE.format(program.name, "fish")}']
    if program.commands:
        lines.append(f'complete -c {program.name} -f')
        for name, text in program.commands:
            lines.append(f'complete -c {program.name} -n __fish_use_subcommand -a {name} -d {fish_quoted(text)}')
    elif program.name == 'gsort-gen':
        lines.append(f'complete -c {program.name} -f')
    for option in program.options:
        line = f'complete -c {program.name}'
        if option.letter and not option.is_optional:
            line += f' -s {option.letter}'
        line += f' -l {option.name}'
        if option.takes == 'words':
            line += (' -f' if option.is_optional else ' -x') + f' -a {fish_quoted(" ".join(option.words))}'
        elif option.takes == 'file':
            line += ' -r -F'
        elif option.takes == 'directory':
            line += " -x -a '(__fish_complete_directories)'"
        elif option.takes == 'text':
            line += ' -f' if option.is_optional else ' -x'
        lines.append(f'{line} -d {fish_quoted(option.summary)}')
    return '\n'.join(lines) + '\n'
