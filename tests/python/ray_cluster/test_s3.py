"""Inputs and outputs on S3, as moto serves it on this machine: now and then with an error or a slow reply."""
import itertools
import os

import boto3
import pytest
from clustered import LONG, content, gen, gsort

import libgsort.ray as gr


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
        report = gr.sort('s3://bucket/in/*.u64', 's3://bucket/out.u64', parts=3, memory='40M', temp=temp)
        assert s3.get_object(Bucket='bucket', Key='out.u64')['Body'].read() == content('want.u64')
        assert report['ray']['maps'] == 4 and report['tally']['count'] == 4_400_000 and service.failed > 0
        gr.sort('s3://bucket/in/?.u64', 'out.u64', parts=3)
        assert content('out.u64') == content('want.u64')
        os.unlink('out.u64')
    assert sorted(os.listdir('.')) == ['0.u64', '1.u64', 'nodes', 'want.u64'] and os.listdir('nodes') == []


def test_s3__a_sort_that_fails__old_object_stays_and_no_upload(s3, place):
    gen('uniform', 'u64', 1000, 'x.u64')
    s3.put_object(Bucket='bucket', Key='old', Body=b'old')
    (place / 'gsort').write_text('#!/bin/bash\n[ "$1" != --join-reports ] || { echo "gsort: broken" >&2; exit 4; }\nexec gsort "$@"\n')
    (place / 'gsort').chmod(0o755)
    with pytest.raises(gr.GsortError, match='broken'):
        gr.sort('x.u64', 's3://bucket/old', program=str(place / 'gsort'))
    assert s3.get_object(Bucket='bucket', Key='old')['Body'].read() == b'old'
    assert sorted(os.listdir('.')) == ['gsort', 'nodes', 'x.u64']
