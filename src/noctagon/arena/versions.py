"""Versions of players: texts that change when the program does."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

from noctagon.core.player import PlayerSpec, command_words

PLAYS = (".py", ".npy", ".npz")
"""Endings of files that decide how a player plays: programs and weights."""
PLAYING = ("core", "compiled", "players", "search", "games")
"""Parts of this package that decide how its players play."""
LONGEST = 16 * 2**20
"""Bytes that are read of a file that a command names."""


def version_of(spec: PlayerSpec) -> str:
    """Return the version of a player: the package's for its own, else a checksum of the program's known files."""
    if spec.command:
        return _checksum(_files_of(command_words(spec.command)))
    if spec.path:
        return _checksum(python_files(Path(spec.path)))
    return f"noctagon {version('noctagon')} {_of_this_package()}"


def _files_of(words: Sequence[str]) -> list[Path]:
    """Return the files that a command names, and what those in Python import."""
    found: dict[Path, None] = {}
    for before, word in pairwise(["", *words]):
        if os.path.isfile(word):  # noqa: PTH113 - any text will do
            found[Path(word)] = None
            if _is_python(Path(word)):
                found |= dict.fromkeys(python_files(Path(word), Path(word).resolve().parent))
        elif before == "-m" and all(part.isidentifier() for part in word.split(".")):
            for file in _files_named(Path(), word, "__main__"):  # of the folder where the command is given
                found |= dict.fromkeys(python_files(file, Path()))
    return list(found)


def _is_python(file: Path) -> bool:
    if file.suffix == ".py":
        return True
    with file.open("rb") as content:
        first = content.readline(200)
    return first.startswith(b"#!") and b"python" in first


def python_files(path: Path, top: Path | None = None) -> list[Path]:
    """Return a Python file and all that it imports, found from `top`, by default its own folder."""
    top = path.parent if top is None else top
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in found and file.is_file():
            found[file] = None
            waiting += _imported(file, top)
    return sorted(found)


def _imported(file: Path, top: Path) -> list[Path]:
    """Return the paths at which the imports of a Python file may be; none if it is not valid Python."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[Path] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [place for alias in node.names for place in _files_named(top, alias.name)]
        elif isinstance(node, ast.ImportFrom):
            above = [file.parent, *file.parent.parents]
            start = top if not node.level else above[min(node.level, len(above)) - 1]
            for alias in node.names:  # a name of the module, or a module of the package
                found += _files_named(start, *filter(None, (node.module, alias.name)))
    return found


def _files_named(start: Path, *names: str) -> list[Path]:
    """Return the paths at which a module, by its dotted name from a folder on, and its packages may be."""
    place = start
    found: list[Path] = []
    for part in ".".join(names).split("."):
        place /= part
        found += [place.with_name(f"{part}.py"), place / "__init__.py"]
    return found


@cache
def _of_this_package() -> str:
    package = Path(__file__).parent.parent
    files = [file for part in PLAYING for file in (package / part, *(package / part).rglob("*"))]
    return _checksum(sorted(file for file in files if file.suffix in PLAYS and file.is_file()))


def _checksum(files: list[Path]) -> str:
    digest = sha256()
    for file in files:
        with file.open("rb") as content:
            digest.update(content.read(LONGEST))
    return digest.hexdigest()[:10] if files else ""
