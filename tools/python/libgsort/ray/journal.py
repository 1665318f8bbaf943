"""Keeps the journal of a sort, beside its output. Each finished task is a line of JSON, which is on
disk before the task counts.

An incomplete last line is ignored.
"""
from __future__ import annotations

import json
import os
import sys
from dataclasses import fields
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import Error, file_error
from . import s3, store
from .access import Access
from .keeper import Folder
from .tasks import Handle


class JournalError(Error, RuntimeError):
    """The folder beside the output has files of another sort, or a sort is running there."""


class Journal:
    """Owns the folder beside the output. It contains the journal, parts and, if all nodes see them,
    sorted files."""

    def __init__(self, folder: str, sort: Dict[str, Any], resume: bool,
                 access: Access = Access()) -> None:
        """sort: the identity of the sort; only the same sort can continue in this folder. access:
        to the output; it is never written to disk

        Raises a JournalError if the folder is in use, or has an unfinished sort that this one does
        not continue.
        """
        kept, self.access = os.path.exists(os.path.join(folder, 'keep')), access
        try:
            last = ((sys.executable, '-m', __name__, folder) if sort.get('sink') in ('s3', 'store')
                    else ('true',))
            self.folder = Folder(folder, resume or kept, last, access.environment)
        except BlockingIOError:
            raise JournalError(f"'{folder}': another sort to this output is running") from None
        try:
            if not kept:
                abort(folder, access)
                self.folder.clear()
            self.lines, end = _read(folder)
            if kept:
                self._refuse(folder, sort, resume)
        except BaseException:
            self.folder.release()
            raise
        self.file = open(os.path.join(folder, 'journal'), 'a', encoding='utf-8')  # noqa: SIM115
        self.file.truncate(end)  # removes an incomplete last line
        if not self.lines:
            self.add(sort=sort)

    def _refuse(self, folder: str, sort: Dict[str, Any], resume: bool) -> None:
        other = next((name for name in sort if self.lines
                      and self.lines[0]['sort'].get(name) != sort[name]), None)
        if resume and other is None:
            return
        what = ('has an unfinished sort; continue it by --resume' if other is None
                else f'has an unfinished sort with another {other}; finish that one')
        upload = upload_of(self.lines)
        raise JournalError(f"'{folder}': {what}, or remove it"
                           + (f', and {_left(*upload)}' if upload else ''))

    def add(self, **line: Any) -> None:
        self.file.write(json.dumps(line) + '\n')
        self.file.flush()
        os.fsync(self.file.fileno())

    def found(self) -> Tuple[Dict[int, Handle], Dict[int, Dict[str, Any]], Dict[str, Any]]:
        """Returns what earlier drivers finished: maps, parts, and other facts by their names."""
        maps: Dict[int, Handle] = {}
        parts: Dict[int, Dict[str, Any]] = {}
        facts: Dict[str, Any] = {}
        for line in self.lines[1:]:
            if 'map' in line:
                # version 1.0 also wrote samples
                told = {field.name: line['map'][field.name] for field in fields(Handle)}
                maps[told['index']] = Handle(**{**told, 'values': tuple(told['values'])})
            elif 'part' in line:
                parts[line['part']] = line['report']
            else:
                facts.update(line)
                if 'upload' in line:
                    parts.clear()  # they are parts of an aborted upload
        return maps, parts, facts

    def close(self) -> None:
        self.file.close()
        self.folder.release()

    def remove(self, is_done: bool = True) -> None:
        self.file.close()
        try:
            if not is_done:
                abort(self.folder.path, self.access)
        except OSError:
            self.folder.release()  # then the folder's watch tries again
            raise
        self.folder.remove()


def _left(output: str, upload: str) -> str:
    return f"abort upload {upload} of '{output}'" if s3.is_upload(upload) else f"remove '{upload}'"


def upload_of(lines: Sequence[Dict[str, Any]]) -> Optional[Tuple[str, str]]:
    """Returns the output in a store, and its last upload or the folder for its parts. None: nothing
    was begun in a store."""
    uploads = [line['upload'] for line in lines if 'upload' in line]
    return (lines[0]['sort']['output'], uploads[-1]) if uploads else None


def abort(folder: str, access: Access) -> None:
    """Aborts the upload that the journal in `folder` names, if it is not complete, or removes the
    parts in a store.

    Raises a FileError that says what is left if the store fails.
    """
    upload = upload_of(_read(folder)[0])
    if upload is not None:
        try:
            if s3.is_upload(upload[1]):
                s3.abort(access, *upload)
            else:
                store.abort(access, upload[1])
        except OSError as error:
            raise file_error(0, (f'upload {upload[1]} is not aborted' if s3.is_upload(upload[1])
                                 else f"'{upload[1]}': is not removed") + f': {error}') from None


def _read(folder: str) -> Tuple[List[Dict[str, Any]], int]:
    """Returns the complete lines of the journal, and the byte at which the last one ends."""
    lines: List[Dict[str, Any]] = []
    end = 0
    try:
        with open(os.path.join(folder, 'journal'), 'rb') as file:
            for text in file:
                if not text.endswith(b'\n'):
                    break
                lines.append(json.loads(text))
                end += len(text)
    except FileNotFoundError:
        pass
    return lines, end


if __name__ == '__main__':  # the folder's watch runs this after the driver has died
    abort(sys.argv[1], Access.of_environment())
