#!/usr/bin/env python3
"""debian_files.py VERSION MAINTAINER DATE WITH_CUDA OUT_DIR: what .debs hold that nothing else does, in OUT_DIR.

    changelog.gz    CHANGELOG.md, as Debian writes it
    copyright       LICENSE, as Debian writes it
    shlibs symbols  which libgsort0 a program needs that was linked to libgsort.so.0: of libgsort.map
    triggers        the cache of the dynamic linker is made anew
    egg-info        Python is told that the module is there, and of which version
"""
import gzip
import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def changelog(text, version, maintainer, date):
    """The entries of all versions; only the newest has a date, that of the build."""
    entries = re.findall(r'^- (.*(?:\n  .*)*)', text, re.M)
    lines = [textwrap.fill(' '.join(entry.split()), 78, initial_indent='  * ', subsequent_indent='    ',
                           break_long_words=False, break_on_hyphens=False) for entry in entries]
    return f'gsort ({version}) unstable; urgency=medium\n\n' + '\n'.join(lines) + f'\n\n -- {maintainer}  {date}\n'


def copyright_file(text, with_cuda):
    holder = re.search(r'^Copyright \(c\) (.*)', text, re.M)[1]
    terms = text[text.index('Permission is'):].rstrip().split('\n')
    license_text = '\n'.join(f' {line}' if line else ' .' for line in terms)
    cuda = ('Comment: The CUDA runtime of NVIDIA is inside, linked statically, under the terms of the\n'
            ' CUDA Toolkit, which allow programs to be given away with it.\n') if with_cuda else ''
    return ('Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: gsort\n' + cuda +
            f'\nFiles: *\nCopyright: {holder}\nLicense: Expat\n\nLicense: Expat\n{license_text}\n')


def symbols(version_script):
    """A node GSORT_0.2 was new in version 0.2.0, like its symbols."""
    lines = ['libgsort.so.0 libgsort0 #MINVER#', '* Build-Depends-Package: libgsort-dev']
    for node, body in re.findall(r'^(GSORT_[\d.]+) \{\nglobal:\n(.*?)^(?:local:|\})', version_script, re.M | re.S):
        since = node.removeprefix('GSORT_') + '.0'
        names = sorted(re.findall(r'(\w+);', body))
        lines += [f' {name}@{node} {since}' for name in [node] + names]
    return '\n'.join(lines) + '\n'


def main():
    version, maintainer, date, with_cuda, out = sys.argv[1:]
    made = {'copyright': copyright_file(read('LICENSE'), with_cuda == '1'),
            'shlibs': f'libgsort 0 libgsort0 (>= {version})\n',
            'symbols': symbols(read('src/libgsort.map')),
            'triggers': 'activate-noawait ldconfig\n',
            'egg-info': f'Metadata-Version: 2.1\nName: libgsort\nVersion: {version}\nRequires-Dist: numpy (>=1.21)\n'}
    os.makedirs(out, exist_ok=True)
    for name, text in made.items():
        with open(os.path.join(out, name), 'w', encoding='utf-8') as file:
            file.write(text)
    with open(os.path.join(out, 'changelog.gz'), 'wb') as file:
        file.write(gzip.compress(changelog(read('CHANGELOG.md'), version, maintainer, date).encode(), mtime=0))


if __name__ == '__main__':
    main()
