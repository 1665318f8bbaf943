"""What a sort has done, beside its output: a line of JSON for each task, on disk before it counts. A torn last line is none."""
from __future__ import annotations

import base64
import json
import os
from dataclasses import asdict
from typing import Any, Dict, List, Tuple

from .keeper import Folder
from .tasks import Handle


class JournalError(RuntimeError):
    pass


class Journal:
    """The folder beside the output: the journal, parts and, if all nodes see them, sorted files."""

    def __init__(self, folder: str, sort: Dict[str, Any], resume: bool) -> None:
        """sort: what it is; another one does not go on with this folder."""
        path = os.path.join(folder, 'journal')
        kept = resume or os.path.exists(os.path.join(folder, 'keep'))
        try:
            self.folder = Folder(folder, kept)
        except BlockingIOError:
            raise JournalError(f"'{folder}': another sort to this output is at work") from None
        self.lines = _read(path)
        if self.lines and self.lines[0]['sort'] != sort or kept and not resume:
            self.folder.release()
            other = next((name for name in sort if self.lines and self.lines[0]['sort'].get(name) != sort[name]), None)
            what = 'keeps a sort that --resume goes on with' if other is None else f'keeps another sort, of other {other}'
            raise JournalError(f"'{folder}': {what}; or remove it")
        self.file = open(path, 'a', encoding='utf-8')
        if not self.lines:
            self.add(sort=sort)

    def add(self, **line: Any) -> None:
        self.file.write(json.dumps(line) + '\n')
        self.file.flush()
        os.fsync(self.file.fileno())

    def add_map(self, handle: Handle) -> None:
        self.add(map={**asdict(handle), 'samples': base64.b64encode(handle.samples).decode()})

    def found(self) -> Tuple[Dict[int, Handle], Dict[int, Dict[str, Any]], Dict[str, Any]]:
        """Maps, parts, and other facts by their names."""
        maps: Dict[int, Handle] = {}
        parts: Dict[int, Dict[str, Any]] = {}
        facts: Dict[str, Any] = {}
        for line in self.lines[1:]:
            if 'map' in line:
                told = {**line['map'], 'samples': base64.b64decode(line['map']['samples'])}
                maps[told['index']] = Handle(**told)
            elif 'part' in line:
                parts[line['part']] = line['report']
            else:
                facts.update(line)
        return maps, parts, facts

    def close(self) -> None:
        self.file.close()
        self.folder.release()

    def remove(self) -> None:
        self.file.close()
        self.folder.remove()


def _read(path: str) -> List[Dict[str, Any]]:
    lines: List[Dict[str, Any]] = []
    try:
        with open(path, encoding='utf-8') as file:
            for text in file:
                if not text.endswith('\n'):
                    break
                lines.append(json.loads(text))
    except FileNotFoundError:
        pass
    return lines
