"""Gives tasks access to files in stores: with the credentials of each node (environment, profiles,
roles), or with those of the user.

The user gives a file system of pyarrow or fsspec, or storage_options of fsspec. Tasks receive them
with their job. The command that cleans up after a dead driver receives them in its environment.
They are never written to disk, because they may contain secrets.

Objects on S3 are read, uploaded and copied by boto3. Only boto3 uploads one object from many tasks,
and copies objects larger than 5 GiB. So a file system for S3 is converted to options of boto3, if
possible.
"""
from __future__ import annotations

import base64
import os
import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple

from ..errors import UsageError, type_error
from ..tables.sources import file_system

VARIABLE = 'GSORT_RAY_ACCESS'
S3_WORDS = {'key': 'aws_access_key_id', 'secret': 'aws_secret_access_key',
            'token': 'aws_session_token', 'endpoint_url': 'endpoint_url', 'anon': 'anon'}
S3_CLIENT_WORDS = ('endpoint_url', 'region_name')
# of pyarrow's S3FileSystem; boto3 lacks them
NOT_BOTOS = ('role_arn', 'default_metadata', 'force_virtual_addressing', 'tls_ca_file_path')
# type_name of pyarrow -> schemes
SCHEMES = {'gcs': ('gs', 'gcs'), 'abfs': ('abfs', 'abfss'), 'hdfs': ('hdfs', 'viewfs'),
           'local': ('file', 'local')}


@dataclass(frozen=True)
class Access:
    """Access to stores.

    kind: '': each node finds its own credentials; 's3': options of boto3; 'options':
        storage_options of fsspec; 'system': a file system
    pickled: the options or the file system
    """

    kind: str = ''
    pickled: bytes = field(default=b'', repr=False)

    @property
    def given(self) -> Any:
        return pickle.loads(self.pickled)

    def is_s3(self, path: str) -> bool:
        """Returns whether boto3 reads and writes the object `path`."""
        return path.startswith('s3://') and self.kind != 'system'

    @property
    def s3_words(self) -> Dict[str, Any]:
        """The user's arguments for boto3.client, and `anon`. Empty if each node finds its own
        credentials."""
        return dict(self.given) if self.kind == 's3' else {}

    @property
    def environment(self) -> Dict[str, str]:
        return {VARIABLE: f'{self.kind}:{base64.b64encode(self.pickled).decode()}'}

    @classmethod
    def of_environment(cls) -> Access:
        kind, _, text = os.environ.get(VARIABLE, '').partition(':')
        return cls(kind, base64.b64decode(text))


def access_of(filesystem: Any, storage_options: Optional[Mapping[str, Any]],
              names: Iterable[str]) -> Access:
    """Returns the access that the user gave, or else Access(). names: of the inputs and the output;
    those with a scheme are in a store

    Raises a UsageError if both arguments are given, or if the names do not have exactly one scheme.
    Raises a TypeError for other types.
    """
    if filesystem is None and storage_options is None:
        return Access()
    word = 'storage_options' if filesystem is None else 'filesystem'
    if filesystem is not None and storage_options is not None:
        raise UsageError('filesystem and storage_options: the file system has its options already; '
                         'give only one of them')
    schemes: Dict[str, str] = {}
    for name in names:
        if '://' in name:
            schemes.setdefault(name.partition('://')[0], name)
    if len(schemes) != 1:
        what = ' and '.join(f"'{name}'" for name in schemes.values())
        raise UsageError(f'{word}: only for one store, but {what} are two' if schemes
                         else f'{word}: only for names in a store, such as s3://bucket/key')
    [(scheme, name)] = schemes.items()
    if storage_options is not None:
        if not isinstance(storage_options, Mapping):
            raise type_error(f'storage_options: must be a dict, not '
                             f'{type(storage_options).__name__}')
        return (_made('s3', _words_of(storage_options)) if scheme == 's3'
                else _made('options', dict(storage_options)))
    return _of_system(filesystem, scheme, name)


def _made(kind: str, given: Any) -> Access:
    try:
        return Access(kind, pickle.dumps(given))
    except Exception as error:  # the user's file system may raise anything
        raise type_error(f'{type(given).__name__}: it cannot be sent to nodes: {error}') from None


def _of_system(system: Any, scheme: str, name: str) -> Access:
    from pyarrow import fs
    if isinstance(system, fs.PyFileSystem) and isinstance(system.handler, fs.FSSpecHandler):
        system = system.handler.fs
    if isinstance(system, fs.FileSystem):
        known = ('s3',) if system.type_name == 's3' else SCHEMES.get(system.type_name, (scheme,))
    elif hasattr(system, '_strip_protocol'):
        known = (system.protocol,) if isinstance(system.protocol, str) else tuple(system.protocol)
    else:
        raise type_error(f'filesystem: must be one of pyarrow.fs or fsspec, not '
                         f'{type(system).__name__}')
    if scheme not in known:
        raise UsageError(f"'{name}': the given filesystem is for {known[0]}://")
    if scheme != 's3':
        return _made('system', system)
    if isinstance(system, fs.FileSystem):
        return (_made('s3', _words_of(_of_pyarrow(system))) if system.type_name == 's3'
                else _made('system', system))
    return (_made('s3', _words_of(system.storage_options))
            if type(system).__module__.startswith('s3fs') else _made('system', system))


def _words_of(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the options of boto3 for storage_options of fsspec. Raises a UsageError for an option
    that has no counterpart."""
    words: Dict[str, Any] = {}
    for name, value in options.items():
        if (name == 'client_kwargs' and isinstance(value, Mapping)
            and set(value) <= set(S3_CLIENT_WORDS)):
            words.update(value)
        elif name in S3_WORDS:
            words[S3_WORDS[name]] = value
        elif value is not None:
            raise UsageError(f"storage_options: '{name}' is not possible for s3://; possible are "
                             f"{', '.join(S3_WORDS)}, and client_kwargs with "
                             f"{' and '.join(S3_CLIENT_WORDS)}")
    return {name: value for name, value in words.items() if value is not None}


def _of_pyarrow(system: Any) -> Dict[str, Any]:
    """Returns storage_options of fsspec with the arguments of a pyarrow.fs.S3FileSystem. Raises a
    UsageError for unsupported ones."""
    told = system.__reduce__()[1][0]
    others = ([name for name in NOT_BOTOS if told.get(name)] + ['proxy_options']
              * bool((told.get('proxy_options') or {}).get('host')))
    if others:
        raise UsageError(f'filesystem: {others[0]} of an S3FileSystem is not supported; give '
                         f'storage_options with key, secret and token')
    host = told['endpoint_override']
    return {'key': told['access_key'] or None, 'secret': told['secret_key'] or None,
            'token': told['session_token'] or None, 'anon': told['anonymous'],
            'endpoint_url': f"{told['scheme']}://{host}" if host and '://' not in host else host
            or None,
            'client_kwargs': {'region_name': told['region'] or None}}


@lru_cache(maxsize=None)
def _s3_system(access: Access, bucket: str) -> Any:
    """Returns the file system of pyarrow for a bucket. It writes folders of parts."""
    from pyarrow import fs
    words = access.s3_words
    # boto3's order
    named = [words.get('endpoint_url'), os.environ.get('AWS_ENDPOINT_URL_S3'),
             os.environ.get('AWS_ENDPOINT_URL')]
    scheme, _, host = next(filter(None, named), 'https://').partition('://')
    region = words.get('region_name') or (None if host else fs.resolve_s3_region(bucket))
    return fs.S3FileSystem(access_key=words.get('aws_access_key_id'),
                           secret_key=words.get('aws_secret_access_key'),
                           session_token=words.get('aws_session_token'),
                           anonymous=bool(words.get('anon')), region=region, scheme=scheme,
                           endpoint_override=host or None)


@lru_cache(maxsize=None)
def _given_system(access: Access) -> Any:
    """Returns the user's file system as one of pyarrow. A file system of fsspec gets no cache of
    listings, because other nodes also write."""
    from pyarrow import fs
    system = access.given
    if isinstance(system, fs.FileSystem):
        return system
    fresh = type(system)(*system.storage_args, **{**system.storage_options,
                                                  'use_listings_cache': False})
    return fs.PyFileSystem(fs.FSSpecHandler(fresh))


@lru_cache(maxsize=None)
def system_of(access: Access, uri: str) -> Tuple[Any, str]:
    """Returns the file system for a URI, and the path in it. Raises a UsageError if there is no
    file system for it.

    Without a file system or options of the user, pyarrow is tried first, then fsspec. For gs:// the
    gcsfs of fsspec is first, because it can join objects.
    """
    rest = uri.partition('://')[2]
    if access.kind == 's3':
        return _s3_system(access, rest.partition('/')[0]), rest
    if access.kind == 'system':
        system = _given_system(access)
        if system.type_name.startswith('py::fsspec'):
            return system, system.handler.fs._strip_protocol(uri)
        return system, '/' + rest.partition('/')[2] if system.type_name == 'hdfs' else rest
    return file_system(uri, access.given if access.kind == 'options' else {})
