"""Short names for players without one, different wherever their specs are."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path

from noctagon.core.player import PlayerSpec

LONGEST_NAME = 40
ROOM = LONGEST_NAME - 6
"""Letters of a name that leave room for a number."""

Folder = tuple[str, ...]


def short_names(specs: Sequence[PlayerSpec]) -> list[str]:
    """Name players after their file or program, or by their spec.

    Where several classes of a file play, the name has the class too; where files in different folders would still have
    one name, the folder.

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
    """Return the name, with a number where it is taken."""
    several = (name if number == 1 else f"{name} ({number})" for number in count(1))
    return next(found for found in several if found not in taken)


def _short_name(spec: PlayerSpec, classes: Mapping[str, Collection[str]]) -> str:
    """Return a name without a folder; `classes` are the playing classes by the name of their file."""
    if spec.path:
        stem = Path(spec.path).stem
        name = f"{stem}:{spec.name}" if len(classes[stem]) > 1 else stem
    elif spec.command:
        name = Path(spec.command.split()[-1]).stem
    else:
        name = str(spec)
    return _plain(name)[:ROOM] or "player"


def _folder(spec: PlayerSpec) -> Folder:
    """Return the folders in the path of a player's file, each as a part of a name."""
    return tuple(filter(None, map(_plain, Path(spec.path).parent.parts)))


def _end(folder: Folder, among: Collection[Folder]) -> Folder:
    """Return as many of a folder's last parts as distinguish it from the others: none where there is only one."""
    sizes = range(max(map(len, among)) + 1)
    size = next(size for size in sizes if len({_last(one, size) for one in among}) == len(among))
    return _last(folder, size)


def _last(folder: Folder, size: int) -> Folder:
    return folder[max(0, len(folder) - size) :]


def _within(folder: Folder, name: str) -> str:
    """Return a name with its folder; of a long one the beginning is kept."""
    shown = "/".join(folder)[: max(0, ROOM - 1 - len(name))].strip(" /")
    return f"{shown}/{name}" if shown else name


def _plain(text: str) -> str:
    return re.sub(r"[^\w.:,=+-]", " ", text).strip()
