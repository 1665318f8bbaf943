"""One actor a node: owns the folder of its sorted files, serves slices of them to other nodes by Arrow Flight, looks up elements.

The folder goes when the actor closes it, and also when the actor dies with its driver: a shell waits at a pipe for that. With
`keeps` (--resume) it stays, and is found again. What a power cut left is swept by the next keeper there.
"""
from __future__ import annotations

import fcntl
import hmac
import json
import os
import shutil
import struct
import subprocess
import time
from typing import Any, Dict, Iterator, List, Tuple

import pyarrow as pa
from pyarrow import flight

from .files import elements_at
from .order import Places

BLOCK = 1 << 20
PREFIX = 'gsort-ray-'


# Waits for the end of its input in the background, then removes the folder, unless another owner has its lock or keeps it. The
# owner's lock may go a moment after its end of the pipe.
WATCH = '''exec 3<&0
(read x <&3
[ -e "$0/keep" ] || flock -w 3 "$0/lock" rm -rf -- "$0"
sleep 2
[ -e "$0/lock" ] || rm -rf -- "$0") >/dev/null 2>&1 &'''


def watch(folder: str) -> int:
    """Removes the folder when this process ends, however it ends, or closes what is returned."""
    read_end, write_end = os.pipe()
    subprocess.run(['/bin/sh', '-c', WATCH, folder], stdin=read_end, start_new_session=True, check=True)
    os.close(read_end)
    return write_end


class Folder:
    """A folder that is locked as long as its owner lives, and is gone then, unless it `keeps` it.

    raises BlockingIOError: another owner lives
    """

    def __init__(self, path: str, keeps: bool) -> None:
        self.path, self.watch = path, -1
        for attempt in range(50):
            if self._lock():
                break
            time.sleep(0.1)  # the watch of a dead owner may be at work
        else:
            raise BlockingIOError(f"'{path}': is in use")
        keep = os.path.join(path, 'keep')
        if keeps:
            open(keep, 'w').close()
        else:
            if os.path.exists(keep):
                os.unlink(keep)
            self.watch = watch(path)

    def _lock(self) -> bool:
        name = os.path.join(self.path, 'lock')
        os.makedirs(self.path, exist_ok=True)
        try:
            self.lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(name) and os.path.samestat(os.stat(name), os.fstat(self.lock)):
                return True
        except OSError:
            pass
        os.close(self.lock)
        return False

    def release(self) -> None:
        os.close(self.lock)
        if self.watch >= 0:
            os.close(self.watch)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()


def sweep(temp: str, done: str) -> None:
    """Folders that nobody holds: those that are not to be gone on with, and those of the sort `done`."""
    for name in os.listdir(temp):
        path = os.path.join(temp, name)
        if not name.startswith(PREFIX) or (os.path.exists(os.path.join(path, 'keep')) and not name.startswith(f'{PREFIX}{done}-')):
            continue
        try:
            lock = os.open(os.path.join(path, 'lock'), os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(lock)


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """Gives bytes of files in its folder to whoever has the token."""

    def __init__(self, location: str, folder: str, token: str) -> None:
        super().__init__(location)
        self.folder, self.token = folder, token

    def do_get(self, context: Any, ticket: Any) -> Any:
        asked = json.loads(ticket.ticket)
        if not hmac.compare_digest(str(asked['token']), self.token):
            raise flight.FlightUnauthenticatedError('wrong token')
        path = os.path.join(self.folder, os.path.basename(asked['name']))
        schema = pa.schema([('bytes', pa.binary())])
        return flight.GeneratorStream(schema, self._blocks(path, int(asked['off']), int(asked['bytes']), schema))

    @staticmethod
    def _blocks(path: str, off: int, length: int, schema: Any) -> Iterator[Any]:
        with open(path, 'rb', buffering=0) as file:
            while length > 0:
                block = os.pread(file.fileno(), min(BLOCK, length), off)
                if not block:
                    raise OSError(f"'{path}' is shorter than it was")
                off, length = off + len(block), length - len(block)
                offsets = pa.py_buffer(struct.pack('<ii', 0, len(block)))
                column = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(block)])
                yield pa.RecordBatch.from_arrays([column], schema=schema)


class Keeper:
    """The actor. `address` is what others of the cluster call this node."""

    def __init__(self, temp: str, name: str, token: str, address: str, keeps: bool) -> None:
        os.makedirs(temp, exist_ok=True)
        self.temp, self.sort = temp, name.partition('-')[0]
        sweep(temp, '')
        self.folder = Folder(os.path.join(temp, PREFIX + name), keeps)
        self.server = Server(f'grpc://{address}:0', self.folder.path, token)
        self.url = f'grpc://{address}:{self.server.port}'

    def about(self) -> Dict[str, Any]:
        room = os.statvfs(self.folder.path)
        return {'url': self.url, 'folder': self.folder.path, 'free': room.f_bavail * room.f_frsize}

    def has(self, files: List[Tuple[str, int]]) -> List[bool]:
        """Whether files are here with their sizes."""
        return [os.path.exists(path) and os.path.getsize(path) == size for path, size in files]

    def probe(self, asked: List[Tuple[str, int, int, Places]]) -> List[bytes]:
        """Elements: (path, where data begin, bytes an element, places)."""
        return [elements_at(*one) for one in asked]

    def make_sample(self, length: int) -> None:
        """A file that other nodes read to measure the network."""
        with open(os.path.join(self.folder.path, 'sample'), 'wb') as file:
            file.write(bytes(length))

    def close(self) -> None:
        self.folder.remove()
        sweep(self.temp, self.sort)
