"""Reads and writes objects on S3. Inputs are read by ranges. The tasks of all parts upload pieces
of an output, which the commit completes."""
from __future__ import annotations

import errno
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from ..errors import file_error
from . import gsort
from .access import Access
from .cut import part_begin

LEAST = 5 << 20  # bytes: S3's minimum for all pieces of an object except the last one
MOST_PIECES = 9000  # S3 allows 10,000
USUAL = 64 << 20  # bytes of a piece
READS = 3  # how often a range is read if the connection breaks
COPIED = 5 << 30  # bytes: S3's maximum for one copy
COPIES = 512 << 20  # bytes of the pieces in which a larger object is copied
OTHER = (404, 412, 416)  # status of S3 for an object that has another tag, or is missing


@lru_cache(maxsize=None)
def _client(access: Access) -> Any:
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config
    words = access.s3_words
    signed = {'signature_version': UNSIGNED} if words.pop('anon', False) else {}
    return boto3.client('s3', config=Config(retries={'max_attempts': 8, 'mode': 'standard'},
                                            **signed), **words)


@contextmanager
def _object(access: Access, uri: str) -> Iterator[Tuple[Any, Dict[str, str]]]:
    """Returns a context with the client of boto3, and its arguments for an object. Raises a
    FileError of one line for errors in the context."""
    from botocore.exceptions import BotoCoreError, ClientError
    bucket, _, key = uri[len('s3://'):].partition('/')
    try:
        yield _client(access), {'Bucket': bucket, 'Key': key}
    except ClientError as error:
        if _status(error) == 404:
            raise file_error(errno.ENOENT, f"'{uri}': no such object") from None
        if _status(error) == 403:
            raise file_error(errno.EACCES,
                             f"'{uri}': the store denies access to these credentials: "
                             f"{error.response['Error'].get('Code')}") from None
        raise file_error(0, f"'{uri}': {error}") from None
    except BotoCoreError as error:
        raise file_error(0, f"'{uri}': {error}") from None


def _status(error: Any) -> int:
    return int(error.response['ResponseMetadata']['HTTPStatusCode'])


# ---- inputs ----


def find(access: Access, pattern: str) -> List[str]:
    with _object(access, pattern) as (service, name):
        key = name['Key']
        prefix = key[:min(key.index(c) for c in '*?[' if c in key)]
        pages = service.get_paginator('list_objects_v2').paginate(Bucket=name['Bucket'],
                                                                  Prefix=prefix)
        keys = sorted(row['Key'] for page in pages for row in page.get('Contents', ()))
        return [f"s3://{name['Bucket']}/{one}" for one in keys if fnmatchcase(one, key)
                and not one.endswith('/')]


def stamp(access: Access, uri: str) -> Tuple[int, str]:
    """Returns the size in bytes, and the tag."""
    with _object(access, uri) as (service, name):
        told = service.head_object(**name)
        return told['ContentLength'], told['ETag']


def read(access: Access, uri: str, tag: str, off: int, length: int) -> bytes:
    """Returns bytes of an object. Raises a GsortError if the object has another tag, or is shorter
    or gone."""
    from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError
    with _object(access, uri) as (service, name):
        reads = READS
        while True:
            reads -= 1
            try:
                return bytes(service.get_object(**name, Range=f'bytes={off}-{off + length - 1}',
                                                IfMatch=tag)['Body'].read())
            except (HTTPClientError, IncompleteReadError):
                if reads == 0:
                    raise
            except ClientError as error:
                if _status(error) in OTHER:
                    raise gsort.changed(uri) from None
                raise


# ---- the output ----


def move(access: Access, old: str, new: str) -> None:
    """Renames an object of any size, by copies within S3."""
    from boto3.s3.transfer import TransferConfig
    with _object(access, new) as (_, to), _object(access, old) as (service, name):
        service.copy(name, **to, Config=TransferConfig(multipart_threshold=COPIED + 1,
                                                       multipart_chunksize=COPIES))
        service.delete_object(**name)


def begin(access: Access, uri: str, sort: str) -> str:
    """Begins an upload for a sort. Returns its id."""
    with _object(access, uri) as (service, name):
        return str(service.create_multipart_upload(**name,
                                                   Metadata={'gsort-ray': sort})['UploadId'])


def pieces_of(bytes_: int, all_bytes: int) -> int:
    """Returns in how many pieces a part of `bytes_` bytes is uploaded."""
    return max(1, bytes_ // max(USUAL, -(-all_bytes // MOST_PIECES)))


def places(number: int, parts: int, total: int, element_bytes: int) -> Tuple[int, int]:
    """Returns how many pieces are before part `number`, and how many it has."""
    def count(i: int) -> int:
        return pieces_of((part_begin(total, i, parts) - part_begin(total, i - 1, parts))
                         * element_bytes, total * element_bytes)
    return sum(count(i) for i in range(1, number)), count(number)


def write_part(job: Any, first_piece: int, bytes_: int, pieces: int, upload: str,
               run: Callable[[Callable[[Any], None]], gsort.Report]) -> gsort.Report:
    """Uploads gsort's output. Returns the report, with the numbers and tags of the pieces. Raises a
    GsortError if it has another length."""
    sent: List[Dict[str, Any]] = []

    def beside(child: Any) -> None:
        with _object(job.access, job.output) as (service, name):
            for i in range(pieces):
                length = bytes_ * (i + 1) // pieces - bytes_ * i // pieces
                data = child.stdout.read(length)
                if len(data) != length:
                    return  # gsort has failed, and its message says why
                told = service.upload_part(**name, UploadId=upload, PartNumber=first_piece + i,
                                           Body=data)
                sent.append({'PartNumber': first_piece + i, 'ETag': told['ETag']})
        if child.stdout.read(1):
            raise gsort.GsortError(
                f"'{job.output}': a part of it is longer than its {bytes_} bytes", 4)

    report = run(beside)
    if bytes_ > 0 and len(sent) != pieces:
        raise gsort.GsortError(f'{len(sent)} of {pieces} pieces were uploaded', 4)
    report['s3'] = sent
    return report


def is_upload(upload: str) -> bool:
    """Returns whether `upload` is the id of an upload, and not a folder in a store (store.py)."""
    return '://' not in upload


def is_open(access: Access, uri: str, upload: str) -> bool:
    """Returns whether the upload is neither complete nor aborted."""
    try:
        with _object(access, uri) as (service, name):
            service.list_parts(**name, UploadId=upload, MaxParts=1)
            return True
    except FileNotFoundError:
        return False


def is_of(access: Access, uri: str, sort: str) -> bool:
    """Returns whether the object exists and was uploaded by this sort."""
    try:
        with _object(access, uri) as (service, name):
            return bool(service.head_object(**name)['Metadata'].get('gsort-ray') == sort)
    except FileNotFoundError:
        return False


def complete(access: Access, uri: str, upload: str, reports: Sequence[Dict[str, Any]]) -> None:
    pieces: List[Dict[str, Any]] = [piece for report in reports for piece in report['s3']]
    with _object(access, uri) as (service, name):
        service.complete_multipart_upload(**name, UploadId=upload,
                                          MultipartUpload={'Parts': pieces})


def abort(access: Access, uri: str, upload: str) -> None:
    """Aborts an upload. Does nothing if it is complete or already aborted."""
    try:
        with _object(access, uri) as (service, name):
            service.abort_multipart_upload(**name, UploadId=upload)
    except FileNotFoundError:
        pass
