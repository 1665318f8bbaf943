#!/usr/bin/env python3
"""recipes.py BUILD_DIR CMAKE: tests the recipes for Arch, Homebrew and conda that a build makes. It runs their steps, each in its own
language, with a replacement of cmake that builds nothing. This checks that the options exist, and installs BUILD_DIR instead of a
new build. The result must have the files of a package, and the recipe's own test sorts with it.

Prints nothing if all checks hold; otherwise one line per failed check, and exits with status 1."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
BUILD, CMAKE = os.path.abspath(sys.argv[1]), sys.argv[2]
BROKEN = []

# Configures: -D options are those of the build, or CMake's. Builds: nothing. Installs: the build, where it was told to go.
FRONT = f'''#!/bin/bash
case $1 in
--build) [ "$2" = build ] ;;
--install) [ "$2" = build ] && exec '{CMAKE}' --install '{BUILD}' --prefix "$(cat prefix)" ;;
-S) [ -e "$2/CMakeLists.txt" ] || {{ echo "no sources in $2"; exit 1; }}
    for word in "$@"; do
        case $word in
        -DCMAKE_INSTALL_PREFIX=*) echo "${{word#*=}}" >prefix ;;
        -D*) name=${{word#-D}}
            grep -q "^${{name%%=*}}:" '{BUILD}/CMakeCache.txt' || {{ echo "no option $word"; exit 1; }} ;;
        esac
    done
    mkdir -p build && ln -sfn '{BUILD}/bin' build/bin ;;
*) echo "cmake $*?"; exit 1 ;;
esac
'''
# The superclass of a formula, as far as this one needs it.
FORMULA = '''
class Formula
  class << self
    attr_reader :tested
    %i[desc homepage url version sha256 license depends_on conflicts_with].each { |word| define_method(word) { |*| } }
    def test(&block) = @tested = block
  end
  def prefix = ENV.fetch("PREFIX")
  def bin = Path.new("#{prefix}/bin")
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=#{prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release"]
  def system(*words) = super(*words.map(&:to_s)) || raise("#{words} failed")
end
Path = Struct.new(:text) do
  def /(name) = "#{text}/#{name}"
end
load ARGV[0]
formula = Gsort.new
formula.install
formula.instance_eval(&Gsort.tested)
'''


def fail(text):
    BROKEN.append(text)
    print(f'recipes.py: {text}')


def expected(libraries):
    """The files of Debian's packages, where others have them; without Debian's own, and Python's module."""
    with open(f'{ROOT}/tests/packages/installed.txt', encoding='utf-8') as file:
        names = [line.removeprefix('usr/').rstrip() for line in file]
    names = [name for name in names if not re.match('lib/python3|share/doc/(?!gsort/)', name)]
    return sorted(re.sub(r'(man/.*)[.]gz$', r'\1', name).replace('vendor-completions', 'site-functions')
                  .replace('lib/MULTIARCH', libraries) for name in names)


def installed(prefix):
    names = [os.path.relpath(os.path.join(folder, name), prefix) for folder, _, files in os.walk(prefix) for name in files]
    return sorted(re.sub(r'-[a-z]*[.]cmake$', '-BUILD.cmake', re.sub(r'libgsort[.]so[.]\d+[.]\d+[.]\d+$', 'libgsort.so.VERSION', name))
                  for name in names)


def run(what, words, scratch, **environment):
    done = subprocess.run(words, cwd=scratch, capture_output=True, text=True, check=False,
                          env={**os.environ, 'PATH': f'{scratch}/front:{os.environ["PATH"]}', **environment})
    if done.returncode != 0:
        fail(f'{what}: {done.stdout}{done.stderr}')


def arch(scratch, recipe):
    os.symlink(ROOT, f'{scratch}/gsort-{version()}')
    os.mkdir(f'{scratch}/package')
    run('PKGBUILD', ['bash', '-euc', 'source "$0"; for step in build check package; do $step; done', recipe], scratch,
        pkgdir=f'{scratch}/package')
    return f'{scratch}/package/usr', ['share/licenses/gsort/LICENSE']


def homebrew(scratch, recipe):
    if not shutil.which('ruby'):
        print('skipped gsort.rb: no ruby')
        return None, []
    os.symlink(f'{ROOT}/CMakeLists.txt', f'{scratch}/CMakeLists.txt')
    run('gsort.rb', ['ruby', '-wc', recipe], scratch)
    run('gsort.rb', ['ruby', '-e', FORMULA, recipe], scratch, PREFIX=f'{scratch}/prefix.d')
    return f'{scratch}/prefix.d', []


def conda(scratch, recipe):
    try:
        import yaml  # pylint: disable=C0415
    except ImportError:
        print('skipped recipe.yaml: no yaml')
        return None, []
    with open(recipe, encoding='utf-8') as file:
        said = yaml.safe_load(file)
    prefix = f'{scratch}/prefix.d'
    os.symlink(f'{ROOT}/CMakeLists.txt', f'{scratch}/CMakeLists.txt')
    contents, sorts = said['tests']
    # As conda's compilers set it.
    environment = {'CMAKE_ARGS': f'-DCMAKE_INSTALL_PREFIX={prefix} -DCMAKE_INSTALL_LIBDIR=lib', 'PREFIX': prefix}
    run('recipe.yaml', ['bash', '-euc', '\n'.join(said['build']['script'])], scratch, **environment)
    run('recipe.yaml', ['bash', '-euc', f'PATH={prefix}/bin:$PATH\n' + '\n'.join(sorts['script'])], scratch)
    has = contents['package_contents']
    for name in [f'bin/{name}' for name in has['bin']] + [f'include/{name}' for name in has['include']] + [said['about']['license_file']]:
        if not os.path.exists(f'{prefix}/{name}') and not os.path.exists(f'{ROOT}/{name}'):
            fail(f'recipe.yaml: no {name}')
    return prefix, []


def version():
    with open(f'{BUILD}/CMakeCache.txt', encoding='utf-8') as file:
        return re.search('^CMAKE_PROJECT_VERSION:STATIC=(.*)', file.read(), re.M)[1]


def keep_records():
    """Keeps the records of files that a user has installed from this build. Returns a function that restores them."""
    records = {}
    for name in 'install_manifest.txt', 'install_directories.txt':
        path = f'{BUILD}/{name}'
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                records[path] = file.read()
        else:
            records[path] = None

    def put_back():
        for path, text in records.items():
            if text is not None:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            elif os.path.exists(path):
                os.remove(path)
    return put_back


def main():
    put_back = keep_records()
    try:
        for_each_recipe()
    finally:
        put_back()
    sys.exit(bool(BROKEN))


def for_each_recipe():
    for name, take in ('PKGBUILD', arch), ('gsort.rb', homebrew), ('recipe.yaml', conda):
        recipe = f'{BUILD}/recipes/{name}'
        with open(recipe, encoding='utf-8') as file:
            text = file.read()
        if re.search(r'@\w+@', text) or version() not in text:
            fail(f'{name}: a field is not filled')
        with tempfile.TemporaryDirectory() as scratch:
            os.mkdir(f'{scratch}/front')
            with open(f'{scratch}/front/cmake', 'w', encoding='utf-8') as file:
                file.write(FRONT)
            os.chmod(f'{scratch}/front/cmake', stat.S_IRWXU)
            prefix, more = take(scratch, recipe)
            if prefix is None:
                continue
            there = installed(prefix)
            libraries = os.path.dirname(next((file for file in there if file.endswith('/libgsort.a')), 'lib/'))
            wanted = sorted(expected(libraries) + more)
            if there != wanted:
                fail(f'{name}: installs {sorted(set(there) ^ set(wanted))}, or does not')


if __name__ == '__main__':
    main()
