#!/usr/bin/env python3
"""clean_root.py ROOT DEB...: makes in ROOT the Debian that these packages may expect, and nothing else.

It copies essential packages, the packages that DEBs depend on, and their dependencies from this machine: the files, and dpkg's
records of them. An earlier ROOT gets what it lacks. The DEBs themselves are not installed: `dpkg --root=ROOT -i` does it, and
finds missing dependencies.
"""
import os
import re
import subprocess
import sys

DPKG = 'var/lib/dpkg'


def fields(stanza):
    return dict(re.findall(r'^([A-Za-z-]+): *(.*)', stanza, re.M))


def names(relation):
    """[[alternative]...] of a Depends line, without versions and architectures."""
    return [[re.match(r'[^ :(\[]+', one.strip())[0] for one in group.split('|')] for group in relation.split(',') if group.strip()]


def needs(package):
    return names(package.get('Depends', '')) + names(package.get('Pre-Depends', ''))


def installed():
    """{name: stanza} of what is installed for this processor, {name: who provides it}."""
    stanzas, provided = {}, {}
    here = subprocess.run(['dpkg', '--print-architecture'], check=True, capture_output=True, text=True).stdout.strip()
    with open(f'/{DPKG}/status', encoding='utf-8') as file:
        for stanza in file.read().split('\n\n'):
            package = fields(stanza)
            if package.get('Status', '').endswith(' ok installed') and package['Architecture'] in (here, 'all'):
                stanzas[package['Package']] = stanza
                for [virtual] in names(package.get('Provides', '')):
                    provided.setdefault(virtual, package['Package'])
    return stanzas, provided


def closure(wanted, stanzas, provided):
    found, open_groups = set(), list(wanted)
    while open_groups:
        group = open_groups.pop()
        real = [name if name in stanzas else provided.get(name) for name in group]
        name = next((name for name in real if name), None)
        if name is not None and name not in found:  # what is not there dpkg will miss
            found.add(name)
            open_groups += needs(fields(stanzas[name]))
    return sorted(found)


def with_processors(chosen, stanzas):
    """NAME:PROCESSOR, for a name may be installed for several."""
    return [f'{name}:{fields(stanzas[name])["Architecture"]}' for name in chosen]


def copy(root, paths):
    """Copies files, except those that dpkg may leave out, such as documentation. If /bin is a link, /bin/sh is in /usr/bin."""
    real = {os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) for path in paths if path != '/.'}
    links = {path for path in ('/bin', '/sbin', '/lib', '/lib64') if os.path.islink(path)}
    missing = [path.lstrip('/') for path in sorted(real | links)
               if os.path.lexists(path) and not os.path.lexists(os.path.join(root, path.lstrip('/')))]
    listed = '\0'.join(missing)
    with subprocess.Popen(['tar', '-C', '/', '-c', '--null', '--no-recursion', '-T', '-'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as pack:
        with subprocess.Popen(['tar', '-C', root, '-xp'], stdin=pack.stdout) as unpack:
            pack.stdin.write(listed.encode())
            pack.stdin.close()
    if pack.returncode != 0 or unpack.returncode != 0:
        raise SystemExit('clean_root.py: tar failed')


def alternatives(paths):
    """Resolves the alternatives of these paths, such as libblas.so.3."""
    there, links = set(paths), []
    for name in os.listdir(f'/{DPKG}/alternatives'):
        with open(f'/{DPKG}/alternatives/{name}', encoding='utf-8') as file:
            link = file.read().split('\n')[1]
        chosen = f'/etc/alternatives/{name}'
        if os.path.islink(chosen) and os.readlink(chosen) in there:
            links += [link, chosen]
    return links


def main():
    root, *debs = sys.argv[1:]
    of_debs = [fields(subprocess.run(['dpkg-deb', '-f', deb], check=True, capture_output=True, text=True).stdout) for deb in debs]
    ours = {package['Package'] for package in of_debs}
    stanzas, provided = installed()
    wanted = [group for package in of_debs for group in needs(package) if not ours & set(group)]
    wanted += [[name] for name, stanza in stanzas.items() if fields(stanza).get('Essential') == 'yes']
    chosen = closure(wanted, {name: text for name, text in stanzas.items() if name not in ours}, provided)

    ids = with_processors(chosen, stanzas)
    paths = subprocess.run(['dpkg', '-L', *ids], check=True, capture_output=True, text=True).stdout.split('\n')
    prefixes = tuple(f'{name}.' for name in chosen) + tuple(f'{name_and_processor}.' for name_and_processor in ids)
    records = [name for name in os.listdir(f'/{DPKG}/info') if name.startswith(prefixes)]
    paths = [path for path in paths if path.startswith('/')] + [f'/{DPKG}/info/{name}' for name in records]
    copy(root, paths + alternatives(paths))
    for directory in (f'{DPKG}/updates', f'{DPKG}/triggers', f'{DPKG}/info', 'tmp', 'proc', 'dev'):
        os.makedirs(os.path.join(root, directory), exist_ok=True)
    with open(os.path.join(root, 'dev/null'), 'w', encoding='utf-8'):
        pass  # for scripts of packages
    with open(os.path.join(root, DPKG, 'status'), 'w', encoding='utf-8') as file:
        file.write(''.join(f'{stanzas[name].strip()}\n\n' for name in chosen))
    with open(os.path.join(root, DPKG, 'triggers/ldconfig'), 'w', encoding='utf-8') as file:
        file.write('libc-bin\n')


if __name__ == '__main__':
    main()
