"""Which version of a player this is: a mark that changes when its program does."""

from __future__ import annotations

import ast
import os
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from noctagon.player import PlayerSpec, command_words

PLAYS = (".py", ".npy", ".npz")
"""Programs, and what they have learned."""
PLAYING = ("game.py", "jit.py", "clock.py", "player.py", "players", "search", "games")
"""The rooms of this package on which it depends how a player of ours plays."""
LONGEST = 16 * 2**20
"""Of a file that a command names, so many bytes are read."""


def version_of(spec: PlayerSpec) -> str:
    """The version of a player: of ours, the package's; of somebody's, a checksum of the files it is known to be in."""
    if spec.command:
        words = command_words(spec.command)
        return _checksum([Path(word) for word in words if os.path.isfile(word)])  # noqa: PTH113 - any text will do
    if spec.path:
        return _checksum(python_files(Path(spec.path)))
    return f"noctagon {version('noctagon')} {_of_this_package()}"


def python_files(path: Path) -> list[Path]:
    """A Python file, and the files beside it that it imports, and so on."""
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in found or not file.is_file():
            continue
        found[file] = None
        for name in _imported(file):
            beside = path.parent / name.replace(".", "/")
            waiting += [beside.with_suffix(".py"), beside / "__init__.py"] if name else []
    return sorted(found)


def _imported(file: Path) -> list[str]:
    """The names of what a Python file imports; none where it is not Python that can be read."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module or "", *(alias.name for alias in node.names)]
    return names


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
