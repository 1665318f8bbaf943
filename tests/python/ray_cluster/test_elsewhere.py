"""Writes outputs by pyarrow.fs and fsspec: to servers of S3 and Google's storage on this machine, and to another file system."""
import json
import os
import re
import shutil
import subprocess
import sys

import boto3
import gcsfs
import numpy as np
import pytest
from clustered import content, gen, gsort, journal_has, until
from pyarrow import fs

import libgsort.ray as gr
from libgsort.ray import driver, store
from libgsort.ray.access import Access, system_of
from libgsort.ray.journal import JournalError


@pytest.fixture
def google(cluster):
    return gcsfs.GCSFileSystem(use_listings_cache=False)


@pytest.fixture
def s3(cluster):
    boto3.client('s3').create_bucket(Bucket='folders')
    return fs.FileSystem.from_uri('s3://folders')[0]


def listed(system, path):
    """Names and contents of the files below a folder."""
    if not isinstance(system, fs.FileSystem):
        return {name[len(path) + 1:]: system.cat_file(name) for name in system.find(path)}
    found = {}
    for one in system.get_file_info(fs.FileSelector(path, recursive=True, allow_not_found=True)):
        if one.is_file:
            with system.open_input_stream(one.path, compression=None) as file:
                found[one.path[len(path) + 1:]] = file.readall()
    return found


def whole(files):
    """Returns the concatenation of the parts of a folder, in the order of its manifest."""
    rows = json.loads(files['manifest.json'])
    assert sorted(files) == ['manifest.json', *(row['file'] for row in rows)]
    return b''.join(files[row['file']] for row in rows)


def systems(s3, google, place):
    """Each with the URI of a folder, and where the file system has it: pyarrow's, two of fsspec's."""
    yield s3, 's3://folders/dir', 'folders/dir'
    yield google, 'gs://bucket/dir', 'bucket/dir'
    os.mkdir('stored')
    yield fs.LocalFileSystem(), f'local://{place}/stored', str(place / 'stored')


def test_folder__parts_in_order__replaced_as_a_whole__and_what_is_not_ours_stays(s3, google, place):
    gen('few', 'u64', 300_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    before = sorted(os.listdir('.'))
    for system, uri, path in systems(s3, google, place):
        report = gr.sort_file('x.u64', f'{uri}/out/', parts=4, memory='26M', temp='nodes')
        files = listed(system, f'{path}/out')
        assert whole(files) == content('want.u64') and report.ray['parts'] == 4 and 'part-00004.u64' in files
        gr.sort_file('x.u64', f'{uri}/out/', parts=2, unique=True, zstd=1)
        files = listed(system, f'{path}/out')
        assert [name for name in sorted(files)] == ['manifest.json', 'part-00001.u64.zst', 'part-00002.u64.zst']
        gsort('-u', 'x.u64', '-o', 'unique')
        told = subprocess.run(['zstd', '-dc'], input=whole(files), stdout=subprocess.PIPE, check=True).stdout
        assert told == content('unique')
        os.unlink('unique')
        with system.open_output_stream(f'{path}/out/mine') if system is not google else google.open(f'{path}/out/mine', 'wb') as file:
            file.write(b'mine')
        with pytest.raises(ValueError, match="contains 'mine', which is not part of a sort"):
            gr.sort_file('x.u64', f'{uri}/out/')
        if system is not s3:  # where an object may have the name of a folder
            with pytest.raises(ValueError, match='is a folder; append / to replace it by a folder of parts'):
                gr.sort_file('x.u64', f'{uri}/out', parts=1)
        assert listed(system, f'{path}/out') == {**files, 'mine': b'mine'}
    assert sorted({*os.listdir('.')} - {'stored'}) == before and os.listdir('nodes') == []


def test_object__put_together_by_the_store__or_by_one_task__or_refused(google, place):
    gen('uniform', 'u64', 300_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    google.pipe('bucket/one/old', b'old')
    for parts in (1, 3, 40):  # 32 are merged at a time
        gr.sort_file('x.u64', 'gs://bucket/one/old', parts=parts)
        assert listed(google, 'bucket/one') == {'old': content('want.u64')}
    with pytest.raises(ValueError, match='cannot join objects; end the name in / for a folder of parts, or give parts 1'):
        gr.sort_file('x.u64', f'local://{place}/out', parts=2)
    with pytest.raises(ValueError, match='end the name in / for a folder'):
        gr.sort_file('x.u64', 'gs://bucket/one/old', unique=True)
    (place / 'out').write_text('old')
    gr.sort_file('x.u64', f'local://{place}/out', parts=1)
    assert content('out') == content('want.u64')
    gr.sort_file('x.u64', f'file://{place}/a%20b', parts=3)
    assert content('a b') == content('want.u64') and sorted(os.listdir('.')) == ['a b', 'nodes', 'out', 'want.u64', 'x.u64']


def test_object__read_from_google_by_ranges(google, place):
    gen('uniform', 'u64', 1_000_000, 'x.u64')
    google.put_file('x.u64', 'bucket/in/0.u64')
    google.put_file('x.u64', 'bucket/in/1.u64')
    gsort('x.u64', 'x.u64', '-o', 'want.u64')
    report = gr.sort_file('gs://bucket/in/*.u64', 'out.u64', memory='26M', parts=2)
    assert content('out.u64') == content('want.u64') and report.ray['maps'] > 2


def test_folder__npy__each_part_is_one(google, place):
    np.save('x.npy', np.random.default_rng(1).permutation(10_000))
    gr.sort_file('x.npy', f'local://{place}/out/', parts=3)
    names = [f'out/part-0000{i}.npy' for i in (1, 2, 3)]
    assert sorted(os.listdir('out')) == ['manifest.json', *(os.path.basename(name) for name in names)]
    assert (np.concatenate([np.load(name) for name in names]) == np.arange(10_000)).all()
    with pytest.raises(ValueError, match='a header must be written first'):
        gr.sort_file('x.npy', f'local://{place}/out/', unique=True)


def test_folder__of_what_is_sorted__is_refused_by_any_name_and_stays(s3, google, place):
    gen('uniform', 'u64', 10_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    here = place / 'stored' / 'in'
    others = {'gs': [('gcs://bucket/dir/in/part-00002.u64', 'gs://bucket/dir/in/')],
              'local': [(f'{one}{here}/part-00002.u64', f'{other}{here}/') for one in ('', 'file://', 'local://') for other in ('', 'file://', 'local://')]}
    for system, uri, path in systems(s3, google, place):
        gr.sort_file('x.u64', f'{uri}/in/', parts=2)
        files = listed(system, f'{path}/in')
        for inputs, output in [(f'{uri}/in/part-*', f'{uri}/in/'), *others.get(uri.partition(':')[0], [])]:
            with pytest.raises(ValueError, match='part-0000[12].u64.: is in the folder that the output replaces'):
                gr.sort_file(inputs, output, type='u64', reverse=True)
            assert listed(system, f'{path}/in') == files
        gr.sort_file(f'{uri}/in/part-*', f'{uri}/in2/', type='u64', parts=2)
        assert whole(listed(system, f'{path}/in2')) == content('want.u64')
    assert sorted(os.listdir('.')) == ['nodes', 'stored', 'want.u64', 'x.u64'] and sorted(os.listdir('stored')) == ['in', 'in2']


def test_folder__a_sort_that_fails__what_was_there_stays_alone(s3, google, place):
    gen('uniform', 'u64', 10_000, 'x.u64')
    (place / 'gsort').write_text('#!/bin/bash\n[ "$1" != --join-reports ] || { echo "gsort: broken" >&2; exit 4; }\nexec gsort "$@"\n')
    (place / 'gsort').chmod(0o755)
    for system, uri, path in systems(s3, google, place):
        gr.sort_file('x.u64', f'{uri}/kept/', parts=2)
        files = listed(system, f'{path}/kept')
        with pytest.raises(gr.GsortError, match='broken'):
            gr.sort_file('x.u64', f'{uri}/kept/', parts=3, program=str(place / 'gsort'))
        assert listed(system, f'{path}/kept') == files
    assert sorted(os.listdir('.')) == ['gsort', 'nodes', 'stored', 'x.u64'] and os.listdir('stored') == ['kept']


def test_folder__driver_killed__goes_on_or_nothing_is_left(google, cluster, place):
    gen('uniform', 'u64', 4_000_000, 'x.u64')
    words = [sys.executable, '-m', 'libgsort.ray', 'sort', 'x.u64', '-o', 'gs://bucket/late/', '--memory', '30M', '--address', cluster.address]

    def left():
        return google.find('bucket/late')

    for more in ['--resume'], []:
        program = subprocess.Popen([*words, *more])
        until(lambda: left() and journal_has(b'"part"' if more else b'"upload"', 'late'))
        program.kill()
        program.wait()
        if more:
            with pytest.raises(JournalError, match="or remove it, and remove 'gs://bucket/late/_gsort-"):
                gr.sort_file('x.u64', 'gs://bucket/late/', memory='30M')
            gr.sort_file('x.u64', 'gs://bucket/late/', memory='30M', resume=True)
            gsort('x.u64', '-o', 'want.u64')
            assert whole(listed(google, 'bucket/late')) == content('want.u64')
            google.rm('bucket/late', recursive=True)
    until(lambda: not left() and not os.path.exists('late.gsort-ray'))


def test_folder__commit_that_fails_in_the_middle__says_so_and_is_gone_on_with(place, cluster, monkeypatch):
    gen('uniform', 'u64', 10_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    output, move = f'local://{place}/out/', store._move

    def breaks(system, old, new):
        if 'part-00002' in new:
            raise OSError(5, 'the store is gone')
        move(system, old, new)

    gr.sort_file('x.u64', output, parts=7)  # more than will be
    with monkeypatch.context() as late:
        late.setattr(store, '_move', breaks)
        with pytest.raises(OSError, match='the store is gone; only some parts are in place, and manifest.json is missing'):
            gr.sort_file('x.u64', output, parts=3, resume=True)
    assert 'manifest.json' not in os.listdir('out')
    gr.sort_file('x.u64', output, parts=3, resume=True)
    assert whole(listed(fs.LocalFileSystem(), str(place / 'out'))) == content('want.u64')
    with monkeypatch.context() as dies:  # after its commit
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', output, parts=2, resume=True)
    times = {name: os.stat(f'out/{name}').st_mtime_ns for name in os.listdir('out')}
    gr.sort_file('x.u64', output, parts=2, resume=True)
    assert times == {name: os.stat(f'out/{name}').st_mtime_ns for name in os.listdir('out')} and not os.path.exists('out.gsort-ray')
    with monkeypatch.context() as dies:
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', output, parts=2, resume=True)
    os.unlink('out/part-00001.u64')
    with pytest.raises(gr.GsortError, match='removed or replaced since'):
        gr.sort_file('x.u64', output, parts=2, resume=True)
    until(lambda: shutil.rmtree('out.gsort-ray', ignore_errors=True) or not os.path.exists('out.gsort-ray'))  # tasks end
    os.mkdir('out/_gsort-0123')
    with pytest.raises(ValueError, match=re.escape("contains '_gsort-0123', of a sort that is running or failed; remove it")):
        gr.sort_file('x.u64', output, parts=2)


def test_driver_killed_behind_its_commit__another_output_of_that_size__is_told(google, place, monkeypatch):
    gen('uniform', 'u64', 100_000, 'x.u64')
    before = sorted(os.listdir('.'))
    outputs = [('gs://bucket/whole', 3, google, 'bucket/whole', 270_000), (f'local://{place}/one', 1, None, 'one', 799_999),
               (f'local://{place}/out/', 2, None, 'out/part-00002.u64', 0)]
    for output, parts, where, name, at in outputs:
        for is_spoilt in False, True:
            with monkeypatch.context() as dies:
                dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
                gr.sort_file('x.u64', output, parts=parts, resume=True)
            if not is_spoilt:
                assert gr.sort_file('x.u64', output, parts=parts, resume=True).count == 100_000
                continue
            data = bytearray(where.cat_file(name) if where else content(name))
            data[at] ^= 1
            if where:
                where.pipe(name, bytes(data))
            else:
                (place / name).write_bytes(data)
            with pytest.raises(gr.GsortError, match='removed or replaced since'):
                gr.sort_file('x.u64', output, parts=parts, resume=True)
            [work] = {*os.listdir('.')} - {*before, 'one', 'out'}
            shutil.rmtree(work)


def test_names__that_are_no_parts_of_urls(cluster, place):
    for name in 'x%31.u64', 'x1.u64':
        gen('uniform', 'u64', 1000, name, seed=len(name))
    gsort('x%31.u64', 'x1.u64', '-o', 'want')
    gr.sort_file(f'file://{place}/*.u64', 'out')
    assert content('out') == content('want')
    for end in 'run#3', 'run?3':
        assert system_of(Access(), f'file://{place}/{end}')[1].endswith(end)
