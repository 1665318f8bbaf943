"""An output on S3: one object, uploaded in pieces by the tasks of all parts (multipart), complete with the commit and not before."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import gsort
from .cut import part_begin

LEAST = 5 << 20  # S3's least piece, but for the last of an object
MOST_PIECES = 9000  # of 10,000
USUAL = 64 << 20


def client() -> Any:
    import boto3
    from botocore.config import Config
    return boto3.client('s3', config=Config(retries={'max_attempts': 8, 'mode': 'standard'}))


def split(uri: str) -> Tuple[str, str]:
    bucket, _, key = uri[len('s3://'):].partition('/')
    return bucket, key


def begin(uri: str) -> str:
    """The name of a new upload."""
    bucket, key = split(uri)
    return str(client().create_multipart_upload(Bucket=bucket, Key=key)['UploadId'])


def pieces_of(bytes_: int, all_bytes: int) -> int:
    """How many pieces a part of so many bytes is uploaded in."""
    return max(1, bytes_ // max(USUAL, -(-all_bytes // MOST_PIECES)))


def places(number: int, parts: int, total: int, element_bytes: int) -> Tuple[int, int]:
    """How many pieces there are before part `number`, and how many it has."""
    def count(i: int) -> int:
        return pieces_of((part_begin(total, i, parts) - part_begin(total, i - 1, parts)) * element_bytes, total * element_bytes)
    return sum(count(i) for i in range(1, number)), count(number)


def write_part(job: Any, first_piece: int, bytes_: int, pieces: int, upload: str,
               run: Callable[[Callable[[Any], None]], gsort.Report]) -> gsort.Report:
    """Uploads what gsort writes; the report has the pieces' numbers and tags."""
    bucket, key = split(job.output)
    service, sent = client(), []

    def beside(child: Any) -> None:
        for i in range(pieces):
            length = bytes_ * (i + 1) // pieces - bytes_ * i // pieces
            data = child.stdout.read(length)
            if len(data) != length:
                return  # gsort failed, and says why
            told = service.upload_part(Bucket=bucket, Key=key, UploadId=upload, PartNumber=first_piece + i, Body=data)
            sent.append({'PartNumber': first_piece + i, 'ETag': told['ETag']})
        child.stdout.read()

    report = run(beside)
    if bytes_ > 0 and len(sent) != pieces:
        raise gsort.GsortError(f'{len(sent)} of {pieces} pieces were uploaded', 4)
    report['s3'] = sent
    return report


def complete(uri: str, upload: str, reports: Sequence[Dict[str, Any]]) -> None:
    bucket, key = split(uri)
    pieces: List[Dict[str, Any]] = [piece for report in reports for piece in report['s3']]
    client().complete_multipart_upload(Bucket=bucket, Key=key, UploadId=upload, MultipartUpload={'Parts': pieces})


def abort(uri: str, upload: str) -> None:
    bucket, key = split(uri)
    client().abort_multipart_upload(Bucket=bucket, Key=key, UploadId=upload)
