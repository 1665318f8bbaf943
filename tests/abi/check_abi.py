#!/usr/bin/env python3
"""check_abi.py LIBRARY [--update]: what programs are compiled against stays as it is.

- LIBRARY, libgsort.so, exports what src/libgsort.map lists, under those versions, and nothing else; the map lists what
  gsort.h declares as GS_API.
- Public structs are laid out as structs.txt says: one line a field, with its offset and size; --update writes the list
  anew, which breaks programs once there is a 1.0.
- The examples of gsort.h (indented in its comments) compile and run.
- A caller without a compiler (ctypes) needs no struct.

$CC is the compiler (default cc), $NM reads symbols (default nm). $RUN, where it is set, runs programs of another processor;
there no ctypes can load the library. Prints a line for each thing that is wrong; exit status 1 then.
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, '..', '..', 'src')
LIST = os.path.join(HERE, 'structs.txt')
CC = os.environ.get('CC', 'cc')
NM = os.environ.get('NM', 'nm')
RUN = [os.environ['RUN']] if os.environ.get('RUN') else []
# The program around the examples, and the file that they read.
PROGRAM = '''#include <gsort.h>
int main(void)
{
%s
    return 0;
}
'''


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def run(*command, **how):
    return subprocess.run(command, check=True, capture_output=True, text=True, **how).stdout


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)


def exported(library):
    """NAME@@VERSION of each symbol, but for the versions themselves."""
    lines = run(NM, '-D', '--defined-only', '--with-symbol-versions', library).splitlines()
    return {line.split()[2] for line in lines if line.split()[1] != 'A'}


def listed(text):
    """The same of a version script."""
    found = set()
    for version, body in re.findall(r'(\w[\w.]*) \{(.*?)\}', without_comments(text), re.DOTALL):
        names = body.split('local:')[0].replace('global:', '')
        found |= {f'{name}@@{version}' for name in re.findall(r'\w+', names)}
    return found


def declared(header):
    return set(re.findall(r'^GS_API [^;(]*?(\w+)\(', without_comments(header), re.MULTILINE))


def structs(header):
    """(struct, [field]) of each struct that the header defines."""
    for name, body in re.findall(r'^struct (\w+) \{\n(.*?)^\};', without_comments(header), re.MULTILINE | re.DOTALL):
        inner = re.search(r'struct \{(.*?)\} (\w+);', body, re.DOTALL)
        if inner:
            body = body.replace(inner.group(0), f'int {inner.group(2)};')
        body = re.sub(r'\(\*(\w+)\)\([^)]*\)', r'\1', body)
        fields = []
        for statement in body.split(';'):
            names = statement.split()
            if names:
                fields += re.findall(r'(\w+)(?:\[\w+\])*\s*(?:,|$)', statement.strip())
        yield name, fields


def layout(header, scratch):
    program = ['#include <gsort.h>', 'int main(void) {', '    printf("%s\\n", "# struct.field offset bytes");']
    for name, fields in structs(header):
        for field in fields:
            program.append(f'    printf("%s %zu %zu\\n", "{name}.{field}", offsetof(struct {name}, {field}), '
                           f'sizeof(((struct {name} *)0)->{field}));')
        program.append(f'    printf("%s %zu\\n", "{name}", sizeof(struct {name}));')
    source = os.path.join(scratch, 'layout.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('\n'.join(program + ['}', '']))
    run(CC, '-std=c17', '-I', SOURCE, source, '-o', os.path.join(scratch, 'layout'))
    return run(*RUN, os.path.join(scratch, 'layout'))


def examples(header):
    """Returns the indented lines of a comment that follow an empty one."""
    return [re.sub(r'^ \*', '', block, flags=re.MULTILINE)
            for block in re.findall(r'^ \*\n((?: \*     [^\n]*\n)+)', header, re.MULTILINE)]


def run_example(text, library, scratch):
    source, program = os.path.join(scratch, 'example.c'), os.path.join(scratch, 'example')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(PROGRAM % text)
    folder = os.path.dirname(os.path.abspath(library))
    run(CC, '-std=c17', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-I', SOURCE, source, '-L', folder, '-lgsort', f'-Wl,-rpath,{folder}', '-o', program)
    told = subprocess.run([*RUN, program], cwd=scratch, capture_output=True, text=True)
    return '' if told.returncode == 0 and not told.stderr else f'exit status {told.returncode}, {told.stderr}'


def call(library, name):
    """Returns the JSON report of a file, by ctypes alone."""
    gsort = ctypes.CDLL(os.path.abspath(library))
    for function in gsort.gs_job_create, gsort.gs_job_report, gsort.gs_report_string:
        function.restype = ctypes.c_void_p
    job = ctypes.c_void_p(gsort.gs_job_create())
    gsort.gs_job_add(job, b'input', os.fsencode(name))
    status = gsort.gs_job_run(job, 1)
    text = ctypes.c_void_p(gsort.gs_report_string(ctypes.c_void_p(gsort.gs_job_report(job)), 1))
    told = json.loads(ctypes.string_at(text)) if status == 0 else f'status {status}'
    gsort.gs_string_free(text)
    gsort.gs_job_free(job)
    return told


def main():
    library, header = sys.argv[1], read(os.path.join(SOURCE, 'gsort.h'))
    wrong = []
    in_map, in_header = listed(read(os.path.join(SOURCE, 'libgsort.map'))), declared(header)
    in_library = exported(library)
    for name in sorted(in_library ^ in_map):
        wrong.append(f'{name}: is {"exported, but not in" if name in in_library else "not exported, but in"} libgsort.map')
    for name in sorted(in_header ^ {name.split('@')[0] for name in in_map}):
        wrong.append(f'{name}: is {"declared in gsort.h, but not in" if name in in_header else "not in gsort.h, but in"} '
                     'libgsort.map')
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, 'x.f64'), 'wb') as file:
            file.write(bytes(range(200)) * 40)
        now = layout(header, scratch)
        if '--update' in sys.argv:
            with open(LIST, 'w', encoding='utf-8') as file:
                file.write(now)
        was = read(LIST)
        wrong += [f'structs.txt: {line}: is not so any more' for line in was.splitlines() if line not in now.splitlines()]
        wrong += [f'structs.txt: {line}: is not there' for line in now.splitlines() if line not in was.splitlines()]
        found = examples(header)
        if len(found) < 3:
            wrong.append(f'gsort.h: {len(found)} examples')
        for text in found:
            try:
                told = run_example(text, library, scratch)
            except subprocess.CalledProcessError as error:
                told = error.stderr
            if told:
                wrong.append(f'gsort.h: this example fails:\n{text}{told}')
        told = None if RUN else call(library, os.path.join(scratch, 'x.f64'))
        if not RUN and (not isinstance(told, dict) or (told['tally']['count'], told['type']) != (1000, 'f64')):
            wrong.append(f'by ctypes: {told}')
    if any(line.startswith('structs.txt') for line in wrong):
        wrong.append('structs.txt: --update puts what is so now on record')
    print('\n'.join(wrong), end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
