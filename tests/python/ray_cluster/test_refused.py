"""Tests refusals: a sort that would lose or leave out data fails before it begins. Also tests incomplete journals."""
import glob
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest
import ray
from clustered import content, gen, gsort, until

import libgsort as gs
import libgsort.ray as gr
from libgsort.ray import files, plan
from libgsort.ray.access import Access
from libgsort.ray.journal import Journal, JournalError
from libgsort.ray.tasks import Handle


KILLED = '''#!/bin/bash
# gsort, and what one leaves that is killed where a file cannot be without a name.
for word; do
    case $word in */whole/part-*) touch "${word%/*}/.${word##*/}.gsort-1a2b" ;; esac
done
exec gsort "$@"
'''

DIES = '''# A driver that is killed between two files of a split.
import os, signal, sys
import libgsort.ray as gr
rename = os.rename
os.rename = lambda old, new: os.kill(os.getpid(), signal.SIGKILL) if new.endswith('/p.2.u64') else rename(old, new)
gr.sort_file('p.1.u64', 'p.%d.u64', split=3, address=sys.argv[1])
'''


def refused(said, inputs, output, **options):
    before = sorted(os.listdir('.'))
    with pytest.raises((ValueError, OSError, gr.GsortError), match=said):
        gr.sort_file(inputs, output, **options)
    assert sorted(os.listdir('.')) == before


def test_inputs__a_pattern_without_a_file_and_different_types(cluster, place):
    gen('uniform', 'u64', 100, 'a.u64')
    gen('uniform', 'f64', 100, 'b.f64')
    np.save('c.npy', np.arange(9))
    refused('typo', ['*.u64', 'typo*.u64'], 'out')
    refused('b.f64', ['a.u64', 'b.f64'], 'out')
    refused('c.npy.: is a .npy file, but .*a.u64. is not', ['a.u64', 'c.npy'], 'out')
    open('none', 'w').close()
    refused('none.: is not a .npy file, but .*c.npy. is one', ['c.npy', 'none'], 'out')  # as one gsort does
    refused('c.npy.: is a .npy file, but .*none. is not', ['none', 'c.npy'], 'out')
    os.mkfifo('pipe')
    for name in 'pipe', '/dev/null':
        refused(f'{name}.: is not a regular file', name, 'out', type='u64')


def test_npy__by_what_a_file_holds__not_by_its_name(cluster, place):
    np.save('x.npy', np.arange(1000)[::-1])
    os.rename('x.npy', 'x')
    shutil.copy('x', 'x.NPY')
    gen('uniform', 'u64', 1000, 'a.u64')
    for inputs in 'x', 'x.NPY':
        for verb in {}, {'is_sorted': True, 'reverse': True}:
            refused('s3://bucket/out.: one object in a store must be plain', inputs, 's3://bucket/out', parts=1, **verb)
        refused(f'local://{place}/out.: one object in a store must be plain', inputs, f'local://{place}/out', parts=1)
        refused('an output that many tasks compress cannot have a header', inputs, 'out.zst')
        refused('an output that many tasks compress cannot have a header', inputs, 'out/', zstd=3)
    refused('an output that many tasks compress cannot have a header', 'a.u64', 'out.npy', zstd=3)
    refused('an output that many tasks compress cannot have a header', 'a.u64', 'out.npy.zst')
    refused('one object in a store must be plain', 'a.u64', 's3://bucket/out', zstd=3)
    subprocess.run(['zstd', '-q', 'x'], check=True)
    refused('the header of a compressed .npy file cannot be read; decompress', 'x.zst', 'out', type='i64')
    shutil.copy('a.u64', 'bad.u64.zst')
    refused('bad.u64.zst.: ', 'bad.u64.zst', 'out', header=8)
    gsort('--raw', '-t', 'u64', '--header=8', 'bad.u64.zst', '-o', 'want')
    gr.sort_file('bad.u64.zst', 'out', raw=True, type='u64', header=8, temp='nodes')
    assert content('out') == content('want')


def test_folders__of_something_else_stay(cluster, place):
    os.mkdir('data')
    gen('uniform', 'u64', 1000, 'data/x.u64')
    refused('not part of a sort', 'data/x.u64', 'data/')
    refused('is a folder', 'data/x.u64', 'data')
    gr.sort_file('data/x.u64', 'out/', parts=2)
    refused('is in the folder that the output replaces', 'out/part-00001.u64', 'out/')
    gr.sort_file('data/x.u64', 'out/', parts=3)  # parts of a sort are replaced
    open('out/mine', 'w').close()
    refused('mine', 'data/x.u64', 'out/')
    os.mkdir('web')
    row = {'first': 0, 'tally': {}}
    for manifest in ('', '{"name": "an app"}', '[]', '[{"file": 7}]', '[{"file": "a.png", "label": "cat"}]',  # of no sort
                     *(json.dumps([{'file': name, **more}]) for name, more in (('a.png', row), ('part-00001', {}), ('part-00001', {**row, 'label': 'cat'}),
                                                                             ('part-00001/../../data/x.u64', row), (7, row)))):
        with open('web/manifest.json', 'w') as file:
            file.write(manifest)
        for output in 'web/', f'local://{place}/web/':
            refused("contains 'manifest.json', which is not part of a sort", 'data/x.u64', output)
    os.mkdir('work')
    open('work/mine', 'w').close()
    gr.sort_file('data/x.u64', 'y.u64', parts=2, work='work')
    assert os.listdir('work') == ['mine'] and sorted(os.listdir('.')) == ['data', 'nodes', 'out', 'web', 'work', 'y.u64']


def test_folders__that_come_to_hold_something_else_while_a_sort_is_at_work__stay(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    os.mkdir('out')

    def put(at):
        os.makedirs('new', exist_ok=True)
        for folder in 'out', 'new':
            open(f'{folder}/mine', 'w').close()

    for said, output in ("contains 'mine', which is not part of a sort", 'out/'), ('is a folder', 'new'):
        with pytest.raises(ValueError, match=said):
            gr.sort_file('x.u64', output, parts=2, progress=put)
        assert os.listdir('out') == os.listdir('new') == ['mine'] and sorted(os.listdir('.')) == ['new', 'nodes', 'out', 'x.u64']
        shutil.rmtree('new')


def test_folder__by_a_link__is_where_that_leads(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    os.symlink('there', 'out')
    for parts in 2, 3:
        os.makedirs('there', exist_ok=True)
        gr.sort_file('x.u64', 'out/', parts=parts)
        assert os.path.islink('out') and len(os.listdir('there')) == parts + 1
        assert sorted(os.listdir('.')) == ['nodes', 'out', 'there', 'x.u64']
    os.symlink('.', 'above')
    assert plan.Form.of('above/out/', {}, Access()).target == str(place / 'above/there')


def test_file__by_a_link__is_where_that_leads__and_what_is_no_file_stays(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    gsort('x.u64', '-o', 'want.npy')
    os.makedirs('there/is')
    os.symlink('there/is', 'in')
    os.symlink('../real', 'there/is/out.npy')
    (place / 'there/real').write_text('old')
    os.mkfifo('pipe')
    os.symlink('loop', 'loop')
    before = sorted(os.listdir('.'))
    for options in {}, {'temp': 'nodes'}:
        gr.sort_file('x.u64', 'in/out.npy', **options)  # whose name says what it is
        assert content('there/real') == content('want.npy') and os.path.islink('there/is/out.npy')
        os.unlink('there/real')
    for name in 'pipe', 'loop':
        refused(f'{name}.: is not a regular file', 'x.u64', name)
    with pytest.raises(ValueError, match='out.: is not a regular file'):
        gr.sort_file('x.u64', 'out', progress=lambda at: os.path.lexists('out') or os.mkfifo('out'))
    os.unlink('out')
    assert sorted(os.listdir('.')) == before and os.listdir('there') == ['is']


def test_names__above_a_linked_folder__are_those_that_the_system_finds(cluster, place):
    for folder in 'far/in/it', 'near':
        os.makedirs(folder)
    os.symlink('../far/in', 'near/link')
    gen('uniform', 'u64', 1000, 'far/x.u64')
    gen('uniform', 'u64', 10, 'near/x.u64')
    gsort('far/x.u64', '-o', 'want.u64')
    other = content('near/x.u64')
    assert gr.sort_file('near/link/../*.u64', 'near/link/../x.u64', work='near/link/..').count == 1000
    assert content('far/x.u64') == content('want.u64') and content('near/x.u64') == other
    assert files.absolute('near/./link/it/../x') == str(place / 'near/link/x')  # nodes may have that link otherwise


def test_split__by_links__is_where_they_lead(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    os.mkdir('there')
    os.symlink('there/one', 'p.1')
    gsort('x.u64', '--split=2', '-o', 'want.%d')
    gr.sort_file('x.u64', 'p.%d', split=2)
    assert os.path.islink('p.1') and os.listdir('there') == ['one']
    assert [content('p.1'), content('p.2')] == [content('want.1'), content('want.2')]
    os.unlink('p.2')
    for link in 'p.1', str(place / 'there/../there/one'), 'none/x':
        said = 'none.: no such folder' if link == 'none/x' else 'p.1.: is a link to another file'
        os.symlink(link, 'p.2')
        refused(said, 'x.u64', 'p.%d', split=2)
        os.unlink('p.2')
    os.mkfifo('p.2')
    refused('p.2.: is not a regular file', 'x.u64', 'p.%d', split=2)


def test_resume__another_form_of_the_output__is_another_sort(place):
    gen('uniform', 'u64', 1000, 'x.u64')
    os.symlink('out', 'out.npy')

    def told(output, **options):
        return plan.make(['x.u64'], output, options, parts=2, temp=None, work=None, is_sorted=False, resume=True, program=None, cpus=1, access=Access()).identity()

    for options in {}, {'unique': True}:
        forms = [told(output, **options) for output in ('out', 'out/', 'out.npy', 'out')]
        assert forms[0] == forms[3] and forms[0] != forms[1] != forms[2] != forms[0]


def test_splits__of_which_files_would_stay(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    gr.sort_file('x.u64', '7%%%d.u64', split=3)
    refused('7%3.u64', 'x.u64', '7%%%d.u64', split=2)
    refused('7%3.u64', 'x.u64', str(place / '7%%%d.u64'), split_at=[5])
    gr.sort_file('x.u64', '7%%%d.u64', split=3)
    gr.sort_file('x.u64', '7%%%03d.u64', split=2)


def test_split__over_what_is_sorted__loses_nothing(cluster, place, monkeypatch):
    gen('uniform', 'u64', 1000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    shutil.copy('x.u64', 'p.1.u64')
    os.mkdir('p.2.u64')
    refused('p.2.u64.: is a folder, but would be one of the 2 files', 'p.1.u64', 'p.%d.u64', split=2)
    os.rmdir('p.2.u64')
    with pytest.raises(ValueError, match='is a folder, but would be one'):
        gr.sort_file('p.1.u64', 'p.%d.u64', split=2, progress=lambda at: os.makedirs('p.2.u64', exist_ok=True))
    os.rmdir('p.2.u64')
    assert content('p.1.u64') == content('x.u64') and sorted(os.listdir('.')) == ['nodes', 'p.1.u64', 'want.u64', 'x.u64']

    def fails(old, new, rename=os.rename):
        if new.endswith('/p.2.u64'):
            raise PermissionError(1, 'not permitted')
        rename(old, new)

    def others():
        return sorted(glob.glob('.p.[0-9].u64.gsort-ray-*'))

    with monkeypatch.context() as late:
        late.setattr(os, 'rename', fails)
        said = r'p.2.u64.: not permitted; 1 of 3 files are in place, the others beside their places, as .NAME.gsort-ray-[0-9a-f]{8}$'
        with pytest.raises(PermissionError, match=said):
            gr.sort_file('p.1.u64', 'p.%d.u64', split=3)
    for dies in False, True:
        if dies:
            shutil.copy('x.u64', 'p.1.u64')
            assert subprocess.run([sys.executable, '-c', DIES, cluster.address], stderr=subprocess.DEVNULL).returncode == -9
            until(lambda: not os.path.exists('p.%d.u64.gsort-ray'))
        assert sorted(os.listdir('.')) == [*others(), 'nodes', 'p.1.u64', 'want.u64', 'x.u64'] and len(others()) == 2
        assert b''.join(map(content, ['p.1.u64', *others()])) == content('want.u64')
        for name in others():
            os.unlink(name)


def test_memory__that_is_too_little_for_a_task__is_refused_before_one_starts(cluster, place, monkeypatch):
    gen('uniform', 'u64', 1000, 'x.u64')
    np.save('x.npy', np.arange(9))
    monkeypatch.setattr(ray, 'remote', lambda *_, **__: pytest.fail('a task is started'))
    for name in 'x.u64', 'x.npy':
        refused('1048576 bytes are too few to sort with; at least 10 MiB are needed', name, 'out', memory='1M')


def test_names__that_would_be_taken_wrongly(cluster, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    for name in 's3://bucket', 's3:///x', 's3:///x/':
        refused('is not the name of an object', 'x.u64', name)
    refused('Not a directory', 'x.u64', 'out', temp=str(place / 'x.u64' / 'temp'))
    gen('uniform', 'u64', 1000, 'x.50%d')
    (place / 'gsort').write_text(KILLED)
    (place / 'gsort').chmod(0o755)
    gr.sort_file('x.50%d', 'out/', type='u64', parts=2, program=str(place / 'gsort'))
    assert sorted(os.listdir('out')) == ['manifest.json', 'part-00001.50%d', 'part-00002.50%d']


def test_elsewhere__read_by_ranges__and_what_is_not_there_or_not_plain(cluster, place):
    """By pyarrow.fs, and by fsspec, which alone knows `local`."""
    for i in range(2):
        gen('uniform', 'u64', 400_000, f'{i}.u64', seed=i)
    gsort('0.u64', '1.u64', '-o', 'want.u64')
    for scheme in 'file', 'local':
        report = gr.sort_file(f'{scheme}://{place}/[0-9].u64', 'out.u64', parts=3, memory='26M')
        assert content('out.u64') == content('want.u64') and report.count == 800_000
        refused('none.u64.: no such file', f'{scheme}://{place}/none.u64', 'out')
        refused('no file matches', f'{scheme}://{place}/*.none', 'out')
    refused('last part of a name', f'file://{place}/*/x', 'out')
    refused('nosuch', 'nosuch://x', 'out')
    refused('must be plain: no .npy', f'file://{place}/x.npy', 'out')
    refused('or none of them', ['0.u64', f'file://{place}/1.u64'], 'out')


def test_elsewhere__other_formats_by_any_name__are_refused_as_gsort_does(cluster, place):
    for i in range(2):
        gen('uniform', 'u64', 1000, f'{i}.u64', seed=i)
    np.save('x.npy', np.arange(10_000, dtype=np.uint64))
    os.rename('x.npy', 'x.u64')
    np.save('s.npy', np.arange(9))
    os.rename('s.npy', 's.u64')
    subprocess.run(['zstd', '-q', '--no-check', '0.u64', '-o', 'z.u64'], check=True)
    (place / 'p.u64').write_bytes(b'PAR1\x15' + bytes(100_003))
    (place / 't.u64').write_text('a,b\n' * 10_000)
    for name, said in ('x', 'begins like a format'), ('s', 'begins like a format'), ('z', 'begins like a format'), ('p', 'looks like Parquet; '), ('t', 'looks like text, '):
        for scheme in 'file', 'local':
            refused(f"^'{scheme}://{place}/{name}.u64': {said}.*raw sorts ", [f'{scheme}://{place}/{one}.u64' for one in ('0', name, '1')], 'out',
                    reverse=True)
    gsort('--raw', '-t', 'u64', 'x.u64', '-o', 'want')
    gr.sort_file(f'file://{place}/x.u64', 'out', raw=True, type='u64')
    assert content('out') == content('want')


def test_inputs__are_opened_for_their_stamps__so_that_nfs_asks_its_server(place, monkeypatch):
    gen('uniform', 'u64', 100, 'x.u64')
    wanted, opened = os.stat('x.u64'), []
    with monkeypatch.context() as late:
        late.setattr(os, 'fstat', lambda file, fstat=os.fstat: opened.append(file) or fstat(file))
        assert files.measure(['x.u64']) == [('x.u64', (800, wanted.st_mtime_ns))]
    assert len(opened) > 0


def test_raw__a_header_is_data(cluster, place):
    np.save('x.npy', np.arange(1000, dtype=np.uint64))
    gsort('--raw', '-t', 'u64', 'x.npy', '-o', 'want')
    gr.sort_file('x.npy', 'out', type='u64', raw=True, parts=2)
    assert content('out') == content('want')


def test_journal__a_torn_line_is_cut_off(place):
    journal = Journal('w', {'a': 1}, True)
    journal.add(name='x')
    journal.close()
    with open('w/journal', 'a', encoding='utf-8') as file:
        file.write('{"map": {"in')
    for name in 'y', 'z':
        journal = Journal('w', {'a': 1}, True)
        journal.add(name=name)
        journal.close()
    with open('w/journal', encoding='utf-8') as file:
        assert [json.loads(line) for line in file] == [{'sort': {'a': 1}}, {'name': 'x'}, {'name': 'y'}, {'name': 'z'}]
    with pytest.raises(JournalError, match='has an unfinished sort; continue it by --resume, or remove it$'):
        Journal('w', {'a': 1}, False)
    with pytest.raises(JournalError, match='has an unfinished sort with another a; finish that one, or remove it$'):
        Journal('w', {'a': 2}, True)


def test_journal__of_version_1_0__has_samples_that_are_left_out(place):
    journal, handle = Journal('w', {'a': 1}, True), Handle(0, '', 'map-00000', 8, 3, '{}', values=(1, 2))
    journal.add(map={**asdict(handle), 'step': 1, 'samples': '00'})
    journal.close()
    journal = Journal('w', {'a': 1}, True)
    found = journal.found()[0][0]
    journal.remove()
    assert {**asdict(found), 'left_out': handle.left_out} == asdict(handle)


def test_journal__of_what_was_not_to_be_kept__starts_anew(place):
    journal = Journal('w', {'a': 1}, True)
    journal.add(name='x')
    os.mkdir('w/parts')
    open('w/parts/1', 'w').close()
    journal.close()
    os.unlink('w/keep')  # as power goes while a sort without --resume is at work
    journal = Journal('w', {'a': 1}, False)
    assert journal.found() == ({}, {}, {}) and sorted(os.listdir('w')) == ['journal', 'lock']
    journal.remove()
    assert not os.path.exists('w')


def test_arguments__that_are_none__are_told_before_anything_is_done(cluster, place):
    gen('uniform', 'u64', 100, 'x.u64')
    for said, inputs, output, options in (("'part' is not an option here; did you mean parts", 'x.u64', 'out', {'part': 2}), ('parts: must be a whole number', 'x.u64', 'out', {'parts': '2'}),
                                          ('inputs: must be a name or several, not 1', 1, 'out', {}), ('output: must be a name, not None', 'x.u64', None, {})):
        with pytest.raises(TypeError, match=rf'sort_file\(\): {said}'):
            gr.sort_file(inputs, output, **options)
    refused('parts: -1 is negative', 'x.u64', 'out', parts=-1)
    refused('nodir.: no such folder', 'x.u64', 'nodir/out')
    refused('nodir.: no such folder', 'x.u64', 'nodir/out/')
    refused('x.u64.: is not a folder', 'x.u64', 'x.u64/')
    for name, kind in ('none', FileNotFoundError), ('nodes', IsADirectoryError):
        with pytest.raises(kind, match=f"'{name}': ") as error:
            gr.sort_file(name, 'out')
        assert isinstance(error.value, gs.Error)
    with pytest.raises(TypeError, match=r'sort\(\): dataset: must be a ray.data.Dataset, not str'):
        gr.sort('x.u64')
    gr.sort_file(place / 'x.u64', place / 'out.u64')
    assert os.path.getsize('out.u64') == 800
