"""Names for players that were given none: short ones, and no two alike as long as their specs tell them apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path

from noctagon.core.player import PlayerSpec

LONGEST_NAME = 40
ROOM = LONGEST_NAME - 6
"""So many letters leave room for a number."""

Folder = tuple[str, ...]


def short_names(specs: Sequence[PlayerSpec]) -> list[str]:
    """Of the file, or of the program, or the spec itself.

    Where several classes of a file play, the class is named too; where that leaves files of different folders alike,
    the folder.

    >>> specs = ["ada/bot.py:Bot", "bob/bot.py:Bot", "mine.py:Old", "mine.py:New", "greedy"]
    >>> short_names([PlayerSpec.parse(spec) for spec in specs])
    ['ada/bot', 'bob/bot', 'mine:Old', 'mine:New', 'greedy']
    """
    classes: dict[str, set[str]] = {}
    for spec in specs:
        if spec.path:
            classes.setdefault(Path(spec.path).stem, set()).add(spec.name)
    names = [_short_name(spec, classes) for spec in specs]
    folders: dict[str, set[Folder]] = {}
    for spec, name in zip(specs, names, strict=True):
        if spec.path:
            folders.setdefault(name, set()).add(_folder(spec))
    return [
        _within(_end(_folder(spec), folders[name]), name) if spec.path else name
        for spec, name in zip(specs, names, strict=True)
    ]


def numbered(name: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken."""
    several = (name if number == 1 else f"{name} ({number})" for number in count(1))
    return next(found for found in several if found not in taken)


def _short_name(spec: PlayerSpec, classes: Mapping[str, Collection[str]]) -> str:
    """A name without a folder; `classes` are those that play, by the name of the file."""
    if spec.path:
        stem = Path(spec.path).stem
        name = f"{stem}:{spec.name}" if len(classes[stem]) > 1 else stem
    elif spec.command:
        name = Path(spec.command.split()[-1]).stem
    else:
        name = str(spec)
    return _plain(name)[:ROOM] or "player"


def _folder(spec: PlayerSpec) -> Folder:
    """The folders that a file is in, as far as its path says, each as a name may have it."""
    return tuple(filter(None, map(_plain, Path(spec.path).parent.parts)))


def _end(folder: Folder, among: Collection[Folder]) -> Folder:
    """So many of a folder's last parts as it takes to tell all of them apart: none where there is one only."""
    sizes = range(max(map(len, among)) + 1)
    size = next(size for size in sizes if len({_last(one, size) for one in among}) == len(among))
    return _last(folder, size)


def _last(folder: Folder, size: int) -> Folder:
    return folder[max(0, len(folder) - size) :]


def _within(folder: Folder, name: str) -> str:
    """A name with its folder, of which the beginning is kept where it is long."""
    shown = "/".join(folder)[: max(0, ROOM - 1 - len(name))].strip(" /")
    return f"{shown}/{name}" if shown else name


def _plain(text: str) -> str:
    return re.sub(r"[^\w.:,=+-]", " ", text).strip()
