"""Reads and writes objects of S3, served by moto on this machine, with some errors and slow replies."""
import io
import itertools
import os
import subprocess
import sys
import types

import boto3
import pytest
from botocore.config import Config
from clustered import LONG, content, gen, gsort, journal_has, until

import libgsort.ray as gr
from libgsort.ray import driver, plan
from libgsort.ray import s3 as uploads
from libgsort.ray.access import Access
from libgsort.ray.journal import Journal, JournalError


@pytest.fixture
def s3(service, cluster):
    boto3.client('s3').create_bucket(Bucket='bucket')
    yield boto3.client('s3')
    service.is_on = False
    assert boto3.client('s3').list_multipart_uploads(Bucket='bucket').get('Uploads', []) == []


def test_s3__in_by_ranges__out_by_pieces__identical(s3, service, place):
    for i in range(2):
        gen('uniform', 'u64', 2_200_000, f'{i}.u64', seed=i)
        s3.upload_file(f'{i}.u64', 'bucket', f'in/{i}.u64')
    gsort('0.u64', '1.u64', '-o', 'want.u64')
    service.is_on = True
    service.count = itertools.count(1)
    for temp in (None, str(place / 'nodes')) if LONG else (str(place / 'nodes'),):
        report = gr.sort_file('s3://bucket/in/*.u64', 's3://bucket/out.u64', parts=3, memory='40M', temp=temp)
        assert s3.get_object(Bucket='bucket', Key='out.u64')['Body'].read() == content('want.u64')
        assert report.ray['maps'] == 4 and report.count == 4_400_000 and service.failed > 0 and service.broken > 0
        gr.sort_file('s3://bucket/in/?.u64', 'out.u64', parts=3)
        assert content('out.u64') == content('want.u64')
        os.unlink('out.u64')
    assert sorted(os.listdir('.')) == ['0.u64', '1.u64', 'nodes', 'want.u64'] and os.listdir('nodes') == []


def test_s3__merged__in_pieces_that_it_takes(s3, place, monkeypatch):
    for i in range(2):
        gen('sorted', 'u64', 1_000_000, f'{i}.u64', seed=i)
    gsort('-m', '0.u64', '1.u64', '-o', 'want.u64')
    gr.merge(['0.u64', '1.u64'], 's3://bucket/merged.u64', parts=9)
    assert s3.get_object(Bucket='bucket', Key='merged.u64')['Body'].read() == content('want.u64')
    job = types.SimpleNamespace(sink='s3', parts=12_000, order=types.SimpleNamespace(element_bytes=8))
    with monkeypatch.context() as plain:
        plain.setattr(plan, 'replace', lambda job, parts: parts)
        assert plan.Plan.fit(None, job, 4 << 40) == uploads.MOST_PIECES
        for bytes_, total in ((65535, 20_000), (30_000, 10**6), (8, 1000), (8, (10 << 20) // 8)):
            job.order.element_bytes = bytes_
            parts = plan.Plan.fit(None, job, total)
            ends = [uploads.part_begin(total, i, parts) for i in range(parts + 1)]
            sizes = [(end - begin) * bytes_ for begin, end in zip(ends, ends[1:])]
            pieces = [uploads.places(i + 1, parts, total, bytes_)[1] for i in range(parts)]
            assert all(size // count >= uploads.LEAST for size, count in zip(sizes[:-1], pieces)), (bytes_, parts)


def test_s3__a_sort_that_fails__old_object_stays_and_no_upload(s3, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    s3.put_object(Bucket='bucket', Key='old', Body=b'old')
    (place / 'gsort').write_text('#!/bin/bash\n[ "$1" != --join-reports ] || { echo "gsort: broken" >&2; exit 4; }\nexec gsort "$@"\n')
    (place / 'gsort').chmod(0o755)
    with pytest.raises(gr.GsortError, match='broken'):
        gr.sort_file('x.u64', 's3://bucket/old', program=str(place / 'gsort'))
    assert s3.get_object(Bucket='bucket', Key='old')['Body'].read() == b'old'
    assert sorted(os.listdir('.')) == ['gsort', 'nodes', 'x.u64']
    upload = uploads.begin(Access(), 's3://bucket/new', 'me')
    assert uploads.is_open(Access(), 's3://bucket/new', upload)
    uploads.abort(Access(), 's3://bucket/new', upload)
    assert not uploads.is_open(Access(), 's3://bucket/new', upload)


def test_s3__a_part_that_is_longer_than_its_place__is_not_cut(s3):
    job = types.SimpleNamespace(access=Access(), output='s3://bucket/long')
    upload = uploads.begin(Access(), job.output, 'me')
    with pytest.raises(gr.GsortError, match="'s3://bucket/long': a part of it is longer than its 16 bytes"):
        uploads.write_part(job, 1, 16, 1, upload, lambda beside: beside(types.SimpleNamespace(stdout=io.BytesIO(b'x' * 17))))
    uploads.abort(Access(), job.output, upload)


def test_s3__an_object_that_changes__is_noticed(s3, service, place, monkeypatch):
    broken = service.broken
    gen('uniform', 'u64', 4_000_000, 'x.u64')
    s3.upload_file('x.u64', 'bucket', 'x.u64')
    stamp = uploads.stamp(Access(), 's3://bucket/x.u64')
    assert stamp[0] == 32_000_000 and uploads.read(Access(), 's3://bucket/x.u64', stamp[1], 8, 16) == content('x.u64')[8:24]
    service.is_on, service.count = True, itertools.count(5)
    assert uploads.read(Access(), 's3://bucket/x.u64', stamp[1], 0, 1000) == content('x.u64')[:1000] and service.broken == broken + 1
    service.is_on = False
    with pytest.raises(gr.GsortError, match='has changed'):
        uploads.read(Access(), 's3://bucket/x.u64', '"other"', 0, 8)

    def replace(name):
        gen('uniform', 'u64', 4_000_000, name, seed=9)
        s3.upload_file(name, 'bucket', 'x.u64')

    measure = plan.measure
    for when in ('read', 'commit') if LONG else ('commit',):  # between the plan and a read; or after the last read, when only the tag tells
        calls = []
        with monkeypatch.context() as late:
            def measured(paths, access, when=when, calls=calls):
                found = measure(paths, access)
                calls.append(paths)
                if len(calls) == (1 if when == 'read' else 2):
                    replace(f'{when}.u64')
                return found
            late.setattr(plan, 'measure', measured)
            with pytest.raises(gr.GsortError, match="'s3://bucket/x.u64': has changed since the sort began"):
                gr.sort_file('s3://bucket/x.u64', 'out.u64', parts=2)
        s3.upload_file('x.u64', 'bucket', 'x.u64')
    with pytest.raises(FileNotFoundError, match="'s3://bucket/none': no such object"):
        gr.sort_file('s3://bucket/none', 'out.u64')
    assert sorted(os.listdir('.')) == ['commit.u64', 'nodes', *(['read.u64'] if LONG else []), 'x.u64']


def test_s3__driver_killed_behind_its_commit__its_object_or_an_error(s3, place, monkeypatch):
    gen('uniform', 'u64', 10_000, 'x.u64')
    with monkeypatch.context() as dies:
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', 's3://bucket/late', resume=True)
    s3.put_object(Bucket='bucket', Key='late', Body=b'another')
    with pytest.raises(gr.GsortError, match="wrote it, but it was removed or replaced since; remove '.*late.gsort-ray'"):
        gr.sort_file('x.u64', 's3://bucket/late', resume=True)
    assert s3.get_object(Bucket='bucket', Key='late')['Body'].read() == b'another'


def test_s3__an_upload_that_cannot_be_aborted__is_named_and_tried_again(s3, place, monkeypatch):
    journal = Journal(str(place / 'w'), {'sink': 's3', 'output': 's3://bucket/late'}, False)
    upload = uploads.begin(Access(), 's3://bucket/late', 'me')
    journal.add(upload=upload)
    with monkeypatch.context() as away:
        away.setenv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9')
        away.setattr(uploads, '_client', lambda access: boto3.client('s3', config=Config(retries={'total_max_attempts': 1})))
        with pytest.raises(OSError, match=f'upload {upload} is not aborted: '):
            journal.remove(is_done=False)
    until(lambda: not (place / 'w').exists() and not uploads.is_open(Access(), 's3://bucket/late', upload))  # by the shell that waits for its end


def test_s3__driver_killed__no_upload_is_left_or_its_name_is_told(s3, cluster, place):
    gen('uniform', 'u64', 4_000_000, 'x.u64')
    words = [sys.executable, '-m', 'libgsort.ray', 'sort', 'x.u64', '-o', 's3://bucket/late', '--memory', '30M', '--address', cluster.address]

    def uploads_of():
        return s3.list_multipart_uploads(Bucket='bucket').get('Uploads', [])

    for more in ['--resume'], []:
        program = subprocess.Popen([*words, *more])
        until(lambda: uploads_of() and journal_has(b'"upload"', 'late'))
        program.kill()
        program.wait()
        if more:
            upload, = uploads_of()
            with pytest.raises(JournalError, match=f"or remove it, and abort upload {upload['UploadId']} of 's3://bucket/late'"):
                gr.sort_file('x.u64', 's3://bucket/late', memory='30M')
            gr.sort_file('x.u64', 's3://bucket/late', memory='30M', resume=True)
            gsort('x.u64', '-o', 'want.u64')
            assert s3.get_object(Bucket='bucket', Key='late')['Body'].read() == content('want.u64')
        until(lambda: not uploads_of() and not os.path.exists('late.gsort-ray'))
