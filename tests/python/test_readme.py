"""Runs the examples of tools/python/README.md unchanged, one after the other, in one directory."""
import os
import re

import libgsort

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), '..', 'tools', 'python', 'README.md')


def test_readme__examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(README, encoding='utf-8') as file:
        text = file.read()
    names = {}
    blocks = list(re.finditer(r'```(\w+)\n(.*?)```', text, re.DOTALL))
    for block in blocks:
        if block[1] == 'python':
            line = text.count('\n', 0, block.start()) + 1
            exec(compile('\n' * line + block[2], README, 'exec'), names)
    assert {block[1] for block in blocks} == {'sh', 'console', 'python'}
    assert sum(block[1] == 'python' for block in blocks) >= 3


def test_readme__names_every_public_function():
    with open(README, encoding='utf-8') as file:
        text = file.read()
    functions = [name for name in libgsort.__all__ if name[0].islower() and name != 'version']
    assert [name for name in functions if f'gs.{name}' not in text] == []
