"""Publishes outputs in a file system that all nodes see: a file, a folder of parts, or the files of
a split. Outputs in stores are in store.py and s3.py."""
from __future__ import annotations

import errno
import os
import re
import shutil
from typing import Any, List, Sequence

from ..errors import UsageError, file_error
from . import store
from .access import Access
from .files import absolute, head_of, status


def followed(path: str) -> str:
    """Returns the path to which a link leads. Links in the folders above stay, because nodes may
    have other ones.

    A `..` in a link is resolved as by the system.
    """
    for _ in range(40):
        if not os.path.islink(path):
            break
        path = absolute(os.path.join(os.path.dirname(path), os.readlink(path)))
    return path


def split_places(target: str, count: int) -> List[str]:
    """Returns the paths of the files of a split, to which links lead."""
    folder, pattern = os.path.split(target)
    return [followed(os.path.join(folder, pattern % i)) for i in range(1, count + 1)]


def stamp(path: str) -> List[int]:
    told = status(path)
    return [told.st_ino, told.st_size, told.st_mtime_ns]


def _sync(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


# Refusals


def refuse_place(target: str, is_folder: bool, paths: Sequence[str], access: Access) -> None:
    """Raises an error if the output cannot replace what is at its place.

    A file may replace only a file. A folder may replace only a folder with nothing but the parts of
    a sort, and without inputs.
    """
    if not os.path.isdir(os.path.dirname(target)):
        raise file_error(errno.ENOENT, f"'{os.path.dirname(target)}': no such folder")
    if not os.path.isdir(target):
        if is_folder and os.path.exists(target):
            raise UsageError(f"'{target}': is not a folder, but ends in /")
        _refuse_special(target)
        return
    if not is_folder:
        raise UsageError(f"'{target}': is a folder; append / to replace it by a folder of parts")
    names, manifest = set(os.listdir(target)), b''
    if store.MANIFEST in names:
        with open(os.path.join(target, store.MANIFEST), 'rb') as file:
            manifest = file.read()
    names = store.no_parts(names, manifest)
    if names:
        raise UsageError(f"'{target}': contains '{min(names)}', which is not part of a sort; the "
                         f"folder would be replaced as a whole, so name a new one")
    store.refuse_inside(access, target, paths)


def _refuse_special(path: str) -> None:
    """Raises a UsageError if there is a special file, because a rename would replace it."""
    if os.path.lexists(path) and not os.path.isfile(path):
        raise UsageError(f"'{path}': is not a regular file, which tasks write; use gsort on one "
                         f"machine")


def refuse_split(target: str, count: int) -> None:
    """Raises an error if a file of a split would replace a folder or a special file, or if a folder
    is missing.

    Also refuses files of the pattern with greater numbers, because they would stay and look like
    parts of the output.
    """
    (folder, pattern), places = os.path.split(target), split_places(target, count)
    reals = list(map(os.path.realpath, places))
    for i, place in enumerate(places, 1):
        if os.path.isdir(place):
            raise UsageError(f"'{place}': is a folder, but would be one of the {count} files")
        if not os.path.isdir(os.path.dirname(place)):
            raise file_error(errno.ENOENT, f"'{os.path.dirname(place)}': no such folder")
        _refuse_special(place)
        name = os.path.join(folder, pattern % i)
        if place != name and reals.count(os.path.realpath(place)) > 1:
            raise UsageError(f"'{name}': is a link to another file of the pattern; remove it")
    begin = pattern.replace('%%', '-').index('%')
    for name in sorted(os.listdir(folder)):
        number = re.match(' *([0-9]+)', name[begin:])
        if number and int(number[1]) > count and pattern % int(number[1]) == name:
            raise UsageError(f"'{os.path.join(folder, name)}': would stay after the last of the "
                             f"{count} files; remove it and the files after it, "
                             'or name another pattern')


# Writing


def begin(path: str, head: Any, count: int, size: int) -> int:
    """Makes a file with a head and space for `size` bytes after it. Returns the length of the head
    in bytes."""
    text = head_of(head, count)
    with open(path, 'r+b' if os.path.exists(path) else 'w+b') as file:
        file.truncate(len(text) + size)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return len(text)


def finish_folder(folder: str, names: Sequence[str], manifest: str) -> None:
    """Writes the manifest of a folder of parts. Removes other files, which killed tasks leave on a
    file system without unnamed files."""
    for name in set(os.listdir(folder)) - set(names):
        os.unlink(os.path.join(folder, name))
    with open(os.path.join(folder, store.MANIFEST), 'w', encoding='utf-8') as file:
        file.write(manifest)
        file.flush()
        os.fsync(file.fileno())
    _sync(folder)


def replace(made: str, target: str, end: str) -> None:
    """Renames a file or folder to its place. Removes the folder that was there, if there was one,
    which is called TARGET.old-`end` meanwhile."""
    old = f'{target}.old-{end}' if os.path.isdir(target) else ''
    if old:  # a driver that dies here leaves the old and the new folder
        os.rename(target, old)
    os.rename(made, target)
    _sync(os.path.dirname(target))
    if old:
        shutil.rmtree(old)


def place_files(made: Sequence[str], target: str, end: str) -> None:
    """Renames the files of a split to their places, which may be the places of inputs.

    So all files first get names beside their places. If a later rename fails, the files that are
    not in place keep these names.
    """
    finals = split_places(target, len(made))
    places = {os.path.join(os.path.dirname(place), f'.{os.path.basename(place)}{end}'): place
              for place in finals}
    # links may lead to other folders
    folders = sorted({os.path.dirname(place) for place in finals})
    try:
        for path, name in zip(made, places):
            os.rename(path, name)
        for folder in folders:
            _sync(folder)
        refuse_split(target, len(made))  # again, because places may have changed
    except BaseException:
        for name in filter(os.path.exists, places):
            os.unlink(name)
        raise
    for i, (name, place) in enumerate(places.items()):
        try:
            os.rename(name, place)
        except OSError as error:
            raise file_error(error.errno or 0,
                             f"'{place}': {error.strerror}; {i} of {len(made)} files are in place, "
                             f"the others beside their places, as .NAME{end}") from None
    for folder in folders:
        _sync(folder)
