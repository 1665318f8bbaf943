"""test_texts.py CMAKE: options.cmake turns entries of options.md into C, and refuses what it cannot read."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..'))
TOPICS = '## Topics\n\n| topic | options |\n|---|---|\n| usual | everyday |\n| memory | memory; disk |\n\n'
ENTRY = '## Sizes\n\n### some-size\n\n- topics: usual, memory\n- short: a "size"; [1\n\nA [size](../../tools/gsort/MANUAL.md#sizes) of `x[1]`\\y; so "big".\nMore.\n'
MADE = [r'#define DESCRIBED_some_size', r'.group = "Sizes"', r'.help = "A size of x[1]\\y; so \"big\". More."',
        r'.manual = "A [size](#sizes) of `x[1]`\\y; so \"big\". More."', r'.daily = "a \"size\"; [1"', r'#define WORDS_COUNT 1',
        r'{.word = "usual", .value = 0}, {.word = "memory", .value = 1}, {.word = NULL}',
        r'{"memory", "memory; disk"}', r'{"some-size", " usual memory "}']
REFUSED = [
    (ENTRY.replace('usual, memory', 'usual, memroy'), "there is no topic 'memroy'"),
    (ENTRY.replace('- topics: usual, memory\n', ''), "'some-size' has no heading above it, no topics, or no text"),
    (ENTRY[:ENTRY.index('\nA [size]')], "'some-size' has no heading above it, no topics, or no text"),
    (ENTRY.replace('- short', '- brief'), "cannot read the line '- brief"),
    (ENTRY.replace('### some-size', '### Some size'), "cannot read the line '### Some size'"),
]


def make(cmake, folder, text):
    """The exit status, and what was made or said."""
    source, header, topics = (os.path.join(folder, name) for name in ('options.md', 'words.h', 'topics.c'))
    with open(source, 'w', encoding='utf-8') as file:
        file.write(text)
    run = subprocess.run([cmake, f'-DSOURCE={source}', f'-DHEADER={header}', f'-DTOPICS={topics}', '-P', f'{ROOT}/src/option/options.cmake'],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return run.returncode, ' '.join(run.stderr.split())
    made = ''
    for path in header, topics:
        with open(path, encoding='utf-8') as file:
            made += file.read()
    return 0, made


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        status, made = make(sys.argv[1], folder, TOPICS + ENTRY)
        for part in MADE:
            if status != 0 or part not in made:
                wrong += 1
                print(f'{part} is not in: {made}')
        for text, said in REFUSED:
            status, told = make(sys.argv[1], folder, TOPICS + text)
            if status == 0 or said not in told:
                wrong += 1
                print(f'exit status {status}, not "{said}": {told}')
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())
