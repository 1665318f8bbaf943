#!/usr/bin/env python3
"""make_docs.py BIN_DIR OPTION_WORDS DATE OUT_DIR: manual pages and completions, in OUT_DIR/man and OUT_DIR/completions.

The tables of options (--help, option_words), the manual's prose and gsort.h are all that they are made of. Fails where
the manual has no entry for an option, or one for an option that there is not.
"""
import os
import sys

import completions
import man_pages
import tables

PAGES = ('formats', 'gpus', 'clusters', 'failures', 'promises')
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def main():
    bin_dir, option_words, date, out = sys.argv[1:]
    gsort, gen, bench, distributions = tables.programs(bin_dir, option_words)
    made = {'man/gsort.1': man_pages.gsort_page(gsort, read('tools/gsort/MANUAL.md'), {name: read(f'tools/gsort/manual/{name}.md') for name in PAGES},
                                                read('tools/gsort/RECIPES.md'), date),
            'man/gsort-gen.1': man_pages.program_page(gen, 'DISTRIBUTIONS', distributions, date),
            'man/gsort-bench.1': man_pages.program_page(bench, 'COMMANDS', bench.commands, date),
            'man/libgsort.3': man_pages.library_page(read('src/gsort.h'), gsort.version, date)}
    for program in (gsort, gen, bench):
        made[f'completions/bash/{program.name}'] = completions.bash(program)
        made[f'completions/zsh/_{program.name}'] = completions.zsh(program)
        made[f'completions/fish/{program.name}.fish'] = completions.fish(program)
    for name, text in made.items():
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    sys.exit(main())
