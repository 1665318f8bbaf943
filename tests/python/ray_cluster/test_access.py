"""Reads and writes stores by a file system of pyarrow or fsspec, or by storage_options of fsspec, that the user gives."""
import json
import os
import pickle

import boto3
import fsspec
import pytest
from clustered import content, gen, gsort, until
from fsspec.implementations.dirfs import DirFileSystem
from pyarrow import fs

import libgsort.ray as gr
from libgsort.ray import driver
from libgsort.ray import s3 as uploads
from libgsort.ray.access import access_of
from libgsort.ray.journal import Journal


class S3OfFsspec(fsspec.AbstractFileSystem):
    """Replaces the class of s3fs, which needs another boto than the tests. Only its name and its options are used."""

    protocol = ('s3', 's3a')
    __module__ = 's3fs.core'


WAYS = {
    'options': lambda host: {'storage_options': {'key': 'mine', 'secret': 'hidden', 'client_kwargs': {'endpoint_url': f'http://{host}'}}},
    'pyarrow': lambda host: {'filesystem': fs.S3FileSystem(access_key='mine', secret_key='hidden', endpoint_override=host, scheme='http')},
    's3fs': lambda host: {'filesystem': S3OfFsspec(key='mine', secret='hidden', endpoint_url=f'http://{host}', anon=False)},
    'wrapped': lambda host: {'filesystem': fs.PyFileSystem(fs.FSSpecHandler(S3OfFsspec(key='mine', secret='hidden', endpoint_url=f'http://{host}')))}}


@pytest.fixture
def bucket(service, cluster):
    """A name for it; nothing but what the user gives leads to its server."""
    boto3.client('s3').create_bucket(Bucket='given')
    yield 'given'
    for row in boto3.client('s3').list_objects_v2(Bucket='given').get('Contents', ()):
        boto3.client('s3').delete_object(Bucket='given', Key=row['Key'])


def keys_of(client, prefix):
    """Without that of the folder, which pyarrow makes."""
    return {row['Key'] for row in client.list_objects_v2(Bucket='given', Prefix=prefix)['Contents']} - {prefix}


def test_s3__each_way__says_the_same_to_boto():
    for way, given in WAYS.items():
        given = given('host:1')
        words = access_of(given.get('filesystem'), given.get('storage_options'), ['s3://b/x']).s3_words
        assert not words.pop('anon', False), way
        assert words == {'aws_access_key_id': 'mine', 'aws_secret_access_key': 'hidden', 'endpoint_url': 'http://host:1'}, way


@pytest.mark.parametrize('way', ['options', 'pyarrow'])
def test_s3__read_and_written_as_the_user_says__one_object_and_a_folder(bucket, service, place, way):
    client = boto3.client('s3')
    for i in range(2):
        gen('uniform', 'u64', 1_000_000, f'{i}.u64', seed=i)
        client.upload_file(f'{i}.u64', bucket, f'in/{i}.u64')
    gsort('0.u64', '1.u64', '-o', 'want.u64')
    service.users.clear()
    service.other.users.clear()
    given = WAYS[way](service.other.host)
    gr.sort_file(f's3://{bucket}/in/*.u64', f's3://{bucket}/out.u64', parts=2, memory='40M', **given)
    gr.sort_file(f's3://{bucket}/in/?.u64', f's3://{bucket}/out/', parts=3, **given)
    gr.sort_file('0.u64', f's3://{bucket}/out/', parts=2, type='u64', resume=True, **given)
    assert service.users == set() and service.other.users == {'mine'}
    assert client.get_object(Bucket=bucket, Key='out.u64')['Body'].read() == content('want.u64')
    assert keys_of(client, 'out/') == {'out/manifest.json', 'out/part-00001.u64', 'out/part-00002.u64'}
    gsort('0.u64', '-o', 'want.u64')
    parts = [client.get_object(Bucket=bucket, Key=f'out/part-0000{i}.u64')['Body'].read() for i in (1, 2)]
    assert b''.join(parts) == content('want.u64')
    assert client.list_multipart_uploads(Bucket=bucket).get('Uploads', []) == []


def test_s3__without_a_name__what_is_public_is_read__and_no_more(bucket, service, place):
    gen('uniform', 'u64', 10_000, 'x.u64')
    client, given = boto3.client('s3'), {'storage_options': {'anon': True, 'endpoint_url': f'http://{service.other.host}'}}
    client.put_object(Bucket=bucket, Key='public.u64', Body=content('x.u64'), ACL='public-read')
    client.put_object(Bucket=bucket, Key='private.u64', Body=content('x.u64'))
    service.other.users.clear()
    gr.sort_file(f's3://{bucket}/public.u64', 'out.u64', parts=2, **given)
    gsort('x.u64', '-o', 'want.u64')
    assert content('out.u64') == content('want.u64') and service.other.users == {'nobody'}
    with pytest.raises(PermissionError, match="'s3://given/private.u64': the store denies access to these credentials") as denied:
        gr.sort_file(f's3://{bucket}/private.u64', 'late.u64', **given)
    assert denied.value.filename == 's3://given/private.u64' and not os.path.exists('late.u64')


def test_s3__parts_above_what_it_copies_at_once__are_copied_in_pieces(bucket, service, place, monkeypatch):
    gen('uniform', 'u64', 4_000_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    client, before = boto3.client('s3'), service.copied_ranges
    for most, ranges in (16_000_000, 0), (15_999_999, 8):  # 16 MB in pieces of 5 MiB are four
        monkeypatch.setattr(uploads, 'COPIED', most)
        monkeypatch.setattr(uploads, 'COPIES', 5 << 20)
        gr.sort_file('x.u64', f's3://{bucket}/big/', parts=2)
        assert service.copied_ranges - before == ranges
        parts = [client.get_object(Bucket=bucket, Key=f'big/part-0000{i}.u64')['Body'].read() for i in (1, 2)]
        assert b''.join(parts) == content('want.u64')
        assert len(keys_of(client, 'big/')) == 3
    assert client.list_multipart_uploads(Bucket=bucket).get('Uploads', []) == []


def test_s3__what_cleans_up_behind_a_dead_driver__has_the_secrets__and_the_disk_has_not(bucket, service, place, monkeypatch):
    access = access_of(None, WAYS['options'](service.other.host)['storage_options'], ['s3://given/late'])
    with monkeypatch.context() as away:
        away.setenv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9')
        journal = Journal(str(place / 'w'), {'sink': 's3', 'output': 's3://given/late'}, False, access)
        upload = uploads.begin(access, 's3://given/late', 'me')
        journal.add(upload=upload)
        assert uploads.is_open(access, 's3://given/late', upload)
        journal.close()  # as when it dies
    until(lambda: not (place / 'w').exists() and not uploads.is_open(access, 's3://given/late', upload))
    gen('uniform', 'u64', 10_000, 'x.u64')
    with monkeypatch.context() as dies:  # after its commit
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', 's3://given/late', resume=True, **WAYS['options'](service.other.host))
    kept = {name: content(os.path.join(folder, name)) for folder, _, names in os.walk('late.gsort-ray') for name in names}
    assert 'journal' in kept and not any(b'hidden' in data for data in kept.values())
    assert 'hidden' not in repr(access)


def test_other_stores__of_pyarrow_and_fsspec(cluster, place):
    """Which the nodes could not find by a name alone."""
    os.mkdir('sub')
    gen('uniform', 'u64', 300_000, 'sub/x.u64')
    gsort('sub/x.u64', '-o', 'want.u64')
    for i, (scheme, given) in enumerate([('dir', {'filesystem': DirFileSystem(path=str(place), fs=fsspec.filesystem('file'))}),
                                         ('dir', {'storage_options': {'path': str(place), 'target_protocol': 'file'}}),
                                         ('data', {'filesystem': fs.SubTreeFileSystem(str(place), fs.LocalFileSystem())})]):
        gr.sort_file(f'{scheme}://sub/x.u64', f'{scheme}://sub/out{i}/', parts=3, **given)
        rows = json.loads(content(f'sub/out{i}/manifest.json'))
        assert b''.join(content(f"sub/out{i}/{row['file']}") for row in rows) == content('want.u64') and len(rows) == 3
        gr.sort_file('sub/x.u64', f'{scheme}://sub/one{i}', parts=1, **given)
        assert content(f'sub/one{i}') == content('want.u64')


class NoSystem(fsspec.AbstractFileSystem):
    protocol = 'dir'

    def __reduce__(self):
        raise pickle.PicklingError('it has a socket')


@pytest.mark.parametrize('kind, said, output, given', [
    (ValueError, 'the file system has its options already', 's3://b/x', {'filesystem': fs.LocalFileSystem(), 'storage_options': {}}),
    (ValueError, "filesystem: only for names in a store, such as s3://bucket/key", 'x', {'filesystem': fs.LocalFileSystem()}),
    (ValueError, 'storage_options: only for names in a store', 'file:///tmp/x', {'storage_options': {}}),
    (ValueError, "storage_options: only for one store, but 's3://a/x.u64' and 'gs://b/x' are two", 'gs://b/x', {'storage_options': {}}),
    (ValueError, "'s3://a/x.u64': the given filesystem is for file://", 's3://b/x', {'filesystem': fs.LocalFileSystem()}),
    (ValueError, "'s3://a/x.u64': the given filesystem is for dir://", 's3://b/x', {'filesystem': DirFileSystem('/', fsspec.filesystem('file'))}),
    (ValueError, "storage_options: 'acl' is not possible for s3://; possible are key, secret, token,", 's3://b/x', {'storage_options': {'acl': 'public'}}),
    (ValueError, "storage_options: 'client_kwargs' is not possible", 's3://b/x', {'storage_options': {'client_kwargs': {'verify': False}}}),
    (ValueError, 'filesystem: role_arn of an S3FileSystem is not supported', 's3://b/x', {'filesystem': fs.S3FileSystem(role_arn='arn:aws:iam::1:role/r', region='us-east-1')}),
    (ValueError, 'filesystem: proxy_options of an', 's3://b/x', {'filesystem': fs.S3FileSystem(proxy_options='http://proxy:1', region='us-east-1')}),
    (TypeError, r'sort_file\(\): storage_options: must be a dict, not str', 's3://b/x', {'storage_options': 'key=1'}),
    (TypeError, r'sort_file\(\): filesystem: must be one of pyarrow.fs or fsspec, not dict', 's3://b/x', {'filesystem': {}}),
    (TypeError, r'sort_file\(\): NoSystem: it cannot be sent to nodes: it has a socket', 'dir://x', {'filesystem': NoSystem()})])
def test_what_leads_nowhere__is_refused_before_anything_is_done(cluster, place, kind, said, output, given):
    inputs = 's3://a/x.u64' if 's3://' in output or 'gs://' in output else 'x.u64'
    with pytest.raises(kind, match=said) as refused:
        gr.sort_file(inputs, output, **given)
    assert '\n' not in str(refused.value) and os.listdir('.') == ['nodes']
