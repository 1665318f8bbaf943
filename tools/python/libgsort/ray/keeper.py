"""One actor per node: owns the folder of its sorted files, serves slices of them to other nodes by
Arrow Flight, and looks up elements.

The folder is removed when the actor closes it, and also when the actor dies with its driver. A
shell waits at a pipe for that. With `keeps` (--resume) the folder stays, and the next driver finds
it. After a power cut, the next keeper on the node removes the folder.
"""
from __future__ import annotations

import contextlib
import fcntl
import hmac
import json
import os
import shutil
import struct
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import pyarrow as pa
from pyarrow import flight

from .cut import Places
from .files import are_whole, elements_at

BLOCK = 1 << 20
PREFIX = 'gsort-ray-'


# Waits in the background for the end of its input. Then runs a command and, if it succeeds, removes
# the folder, unless another owner has locked it or keeps it. The owner's lock may end a moment
# after its end of the pipe, so the watch waits for the lock. Tasks that were still writing may
# create the folder again, so the watch tries again 2 seconds later. It removes the folder only
# under its lock, and only if the lock file is still in the folder: meanwhile an owner may have
# ended, and the next one created a new folder. An owner that has created a folder and not locked it
# yet waits, and creates it again.
WATCH = '''exec 3<&0
locked() (
    exec 9<>"$0/lock" && flock $1 9 && [ /proc/self/fd/9 -ef "$0/lock" ] || exit
    shift
    "$@" && rm -rf -- "$0"
)
(read x <&3
[ -e "$0/keep" ] || locked '-w 3' "$@"
sleep 2
[ -e "$0/lock" ] || locked -n true) >/dev/null 2>&1 &'''


def watch(folder: str, last: Sequence[str], told: Mapping[str, str]) -> int:
    """Starts a shell that runs `last` and removes the folder after this process has ended, even if
    it was killed.

    Returns a descriptor; closing it has the same effect. told: is added to the environment of
    `last`
    """
    read_end, write_end = os.pipe()
    # `last` finds the same modules as this process
    own = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path), **told}
    subprocess.run(['/bin/sh', '-c', WATCH, folder, *last], stdin=read_end, start_new_session=True,
                   check=True, env=own)
    os.close(read_end)
    return write_end


def take(folder: str, flags: int = 0) -> int:
    """Locks a folder, and returns the descriptor of the lock. -1: the folder has an owner, or is
    gone."""
    name = os.path.join(folder, 'lock')
    try:
        lock = os.open(name, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
    except FileNotFoundError:
        return -1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.stat(name), os.fstat(lock)):
            return lock
    except OSError:
        pass
    os.close(lock)
    return -1


class Folder:
    """A folder that is locked while its owner lives. After that it is removed, unless the owner
    `keeps` it.

    Raises a BlockingIOError if the folder has another owner.
    """

    def __init__(self, path: str, keeps: bool, last: Sequence[str] = ('true',),
                 told: Optional[Mapping[str, str]] = None) -> None:
        """last: a command that runs before the folder of a dead owner is removed. told: is added to
        its environment"""
        self.path, self.watch = path, -1
        for _ in range(50):
            os.makedirs(path, exist_ok=True)
            self.lock = take(path, os.O_CREAT)
            if self.lock >= 0:
                break
            time.sleep(0.1)  # the watch of a dead owner may be removing it
        else:
            raise BlockingIOError(f"'{path}': is in use")
        keep = os.path.join(path, 'keep')
        if keeps:
            open(keep, 'w').close()
        else:
            if os.path.exists(keep):
                os.unlink(keep)
            self.watch = watch(path, last, told or {})

    def release(self) -> None:
        os.close(self.lock)
        if self.watch >= 0:
            os.close(self.watch)

    def clear(self) -> None:
        """Removes the contents that an owner without `keeps` left, for example after a power
        cut."""
        for entry in os.scandir(self.path):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name not in ('lock', 'keep'):
                os.unlink(entry.path)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()


def sweep(temp: str, done: str) -> None:
    """Removes the folders in `temp` that have no owner, if they are not kept for --resume or if
    they belong to the sort `done`."""
    for name in os.listdir(temp):
        path = os.path.join(temp, name)
        if not name.startswith(PREFIX) or (os.path.exists(os.path.join(path, 'keep'))
                                           and not name.startswith(f'{PREFIX}{done}-')):
            continue
        try:
            lock = take(path)
        except OSError:  # a folder of another user
            continue
        if lock >= 0:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """Serves bytes of the files in its folder to clients with the token."""

    def __init__(self, location: str, folder: str, token: str) -> None:
        super().__init__(location)
        self.folder, self.token = folder, token

    def do_get(self, context: Any, ticket: Any) -> Any:
        asked = json.loads(ticket.ticket)
        if not hmac.compare_digest(str(asked['token']), self.token):
            raise flight.FlightUnauthenticatedError('wrong token')
        path = os.path.join(self.folder, os.path.basename(asked['name']))
        schema = pa.schema([('bytes', pa.binary())])
        return flight.GeneratorStream(schema,
                                      self._blocks(path, int(asked['off']), int(asked['bytes']),
                                                   schema))

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
    """The actor. address: of this node, for other nodes"""

    folder: Folder
    server: Server

    def __init__(self, temp: str, name: str, token: str, address: str, keeps: bool) -> None:
        self.temp, self.name, self.token = temp, name, token
        self.address, self.keeps = address, keeps
        self.url = ''

    def _open(self) -> None:
        """Creates the folder, and starts the server. Ray would take an error in __init__ for the
        loss of the node."""
        os.makedirs(self.temp, exist_ok=True)
        sweep(self.temp, '')
        self.folder = Folder(os.path.join(self.temp, PREFIX + self.name), self.keeps)
        self.server = Server(f'grpc://{self.address}:0', self.folder.path, self.token)
        self.url = f'grpc://{self.address}:{self.server.port}'

    def about(self) -> Dict[str, Any]:
        if not self.url:
            self._open()
        room = os.statvfs(self.folder.path)
        return {'url': self.url, 'folder': self.folder.path, 'free': room.f_bavail * room.f_frsize}

    def has(self, files: List[Tuple[str, int]]) -> List[bool]:
        return are_whole(files)

    def probe(self, asked: List[Tuple[str, int, int, Places]]) -> List[bytes]:
        """Returns the elements for each (path, byte at which data begin, bytes per element,
        places)."""
        return [elements_at(*one) for one in asked]

    def close(self) -> None:
        # if this is killed before the end, the sweep of another sort continues
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder.path, 'keep'))
        self.folder.remove()
        sweep(self.temp, self.name.partition('-')[0])
