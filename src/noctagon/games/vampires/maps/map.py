"""Maps: what a game starts from, as an object, as a file of the course's format, and by name."""

from __future__ import annotations

import heapq
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from noctagon.core import board
from noctagon.core.game import Rules, UnknownName
from noctagon.games.vampires.maps.file import (
    FILE_LIMIT,
    Cell,
    Group,
    MapError,
    check_group,
    check_size,
    read_content,
)
from noctagon.games.vampires.rules.limits import LARGEST_BYTE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "GENERATED",
    "Cell",
    "Group",
    "Map",
    "MapError",
    "bundled_maps",
    "check_map",
    "find_map",
    "parse_map",
    "read_map",
    "write_map",
]

GENERATED = "generated:"
"""Prefix of the name of a map that is drawn by chance."""


class Map(msgspec.Struct, frozen=True):
    """The board before the first turn. `humans` are kept sorted by row, then column.

    A map that breaks the limits is refused with `MapError`.

    >>> print(Map(rows=2, columns=4, humans=((1, 0, 3),), vampires=(3, 1, 5), werewolves=(0, 0, 5)))
       0  1  2  3
    0 W5 H3  .  .
    1  .  .  . V5
    ply 0 of 200 · Vampires 5, Werewolves 5 · Vampires to move
    """

    rows: int
    columns: int
    humans: tuple[Group, ...]
    vampires: Group
    werewolves: Group
    name: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        check_size(self.rows, self.columns)
        kinds = {"Vampires": [self.vampires], "Werewolves": [self.werewolves], "Humans": self.humans}
        taken: dict[Cell, str] = {}
        for kind, groups in kinds.items():
            for x, y, count in groups:
                check_group(kind, x, y, count, self.rows, self.columns)
                if count == 0:
                    raise MapError(f"{kind} at ({x},{y}): an empty house is no house")
                if (x, y) in taken:
                    raise MapError(f"{kind} at ({x},{y}): {taken[x, y]} are there already")
                taken[x, y] = kind
        ordered = tuple(sorted(self.humans, key=lambda house: (house[1], house[0])))
        msgspec.structs.force_setattr(self, "humans", ordered)

    @property
    def symmetry(self) -> str:
        """The turn or the reflection that only swaps the two species, in words; empty if there is none.

        >>> Map(rows=2, columns=3, humans=((1, 0, 3),), vampires=(2, 1, 5), werewolves=(0, 1, 5)).symmetry
        'left to right'
        """
        last_x, last_y = self.columns - 1, self.rows - 1
        images: dict[str, Callable[[int, int], Cell]] = {
            "by half a turn": lambda x, y: (last_x - x, last_y - y),
            "left to right": lambda x, y: (last_x - x, y),
            "top to bottom": lambda x, y: (x, last_y - y),
        }
        if self.rows == self.columns:
            images["along the diagonal"] = lambda x, y: (y, x)
            images["along the other diagonal"] = lambda x, y: (last_x - y, last_y - x)

        def swaps(image: Callable[[int, int], Cell]) -> bool:
            def of(group: Group) -> Group:
                x, y, count = group
                return (*image(x, y), count)

            return of(self.werewolves) == self.vampires and set(map(of, self.humans)) == set(self.humans)

        return next((name for name, image in images.items() if swaps(image)), "")

    @property
    def symmetric(self) -> bool:
        """True if a turn or a reflection of the map only swaps the two species."""
        return bool(self.symmetry)

    @property
    def wire_fault(self) -> str:
        """The reason why the map cannot be served over TCP; empty when it can."""
        houses, limit = len(self.humans), LARGEST_BYTE
        if houses > limit:
            return f"{houses} houses: HUM can name {limit}, so the map cannot be served over TCP"
        if houses + 2 > limit:
            return f"{houses + 2} cells are not empty: MAP can name {limit}, so it cannot be served over TCP"
        return ""

    def view(self) -> board.View:
        """Return the position before the first turn as plain data to draw from."""
        groups: list[tuple[Group, str, int | None]] = [(house, "humans", None) for house in self.humans]
        groups += [(self.vampires, "vampires", 0), (self.werewolves, "werewolves", 1)]
        pieces = (
            board.Piece(x, y, kind, side, count, f"{kind[0].upper()}{count}")
            for (x, y, count), kind, side in sorted(groups, key=lambda item: (item[0][1], item[0][0]))
        )
        return board.View(
            game="vampires",
            rows=self.rows,
            columns=self.columns,
            pieces=tuple(pieces),
            sides=("Vampires", "Werewolves"),
            side=0,
            ply=0,
            limit=Rules().plies,
            score=(self.vampires[2], self.werewolves[2]),
        )

    def __str__(self) -> str:
        return board.text(self.view())


def read_map(path: str | Path) -> tuple[Map, list[str]]:
    """Read the map in a file, with the warnings about it; raise `MapError`. The map is named after the file."""
    source, path = str(path), Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except FileNotFoundError:
        raise MapError("there is no such file", source=source) from None
    except IsADirectoryError:
        raise MapError("this is a directory, not a map file", source=source) from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        if path.is_dir():  # Windows calls it a missing permission
            raise MapError("this is a directory, not a map file", source=source) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise MapError(f"the file cannot be read: {reason}", source=source) from None
    found, warnings = parse_map(data, source=source)
    return msgspec.structs.replace(found, name=path.stem), warnings


def parse_map(data: bytes, *, source: str = "") -> tuple[Map, list[str]]:
    """Read the map in a file's bytes, with the warnings about it; raise `MapError` with source and line."""
    content = read_content(data, source=source)
    return Map(*content[:-1]), content.warnings


def write_map(map_: Map) -> str:
    """Write the map in the course's format, as its own tools write and read it."""
    groups = [("Humans", house) for house in map_.humans]
    groups += [("Werewolves", map_.werewolves), ("Vampires", map_.vampires)]
    lines = ['<?xml version="1.0" encoding="utf-8" ?>', f'<Map Rows="{map_.rows}" Columns="{map_.columns}">']
    lines += [f'  <{kind} X="{x}" Y="{y}" Count="{count}"/>' for kind, (x, y, count) in groups]
    return "\n".join([*lines, "</Map>", ""])


def check_map(map_: Map) -> list[str]:
    """Return remarks for a player on the map; nothing of it is forbidden."""
    remarks = [map_.wire_fault] if map_.wire_fault else []
    if not map_.symmetric:
        remarks.append("not symmetric: play it twice with the species swapped to be fair")
    (x, y, vampires), (tx, ty, werewolves) = map_.vampires, map_.werewolves
    if max(abs(x - tx), abs(y - ty)) == 1:
        sure = 2 * vampires >= 3 * werewolves
        remarks.append(f"the starts touch: the first turn can {'win the game' if sure else 'be a battle'}")
    if 1 in (map_.rows, map_.columns):
        remarks.append("one cell wide: nobody gets past anybody")
    for species, start, other in (
        ("Vampires", map_.vampires, map_.werewolves),
        ("Werewolves", map_.werewolves, map_.vampires),
    ):
        if map_.humans and _largest(map_, start, other) == start[2]:
            remarks.append(f"the {start[2]} {species} can take no house for sure: all in reach hold more")
    return remarks


def _largest(map_: Map, start: Group, other: Group) -> int:
    """Return the largest size of a species if all move together and never risk a battle."""
    houses = {(x, y): count for x, y, count in map_.humans}
    x, y, size = start
    seen = {(x, y), other[:2]}
    border = [(0, (x, y))]
    while border and border[0][0] <= size:
        count, (x, y) = heapq.heappop(border)
        size += count
        for cell in ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            if cell not in seen and 0 <= cell[0] < map_.columns and 0 <= cell[1] < map_.rows:
                seen.add(cell)
                heapq.heappush(border, (houses.get(cell, 0), cell))
    return size


@cache
def bundled_maps() -> Mapping[str, Map]:
    """Return the maps that ship with the game, by name; the first is the default."""
    import tomllib  # here: a list of games and commands needs no map
    from importlib import resources

    folder = resources.files(__package__) / "bundled"
    index = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))
    maps = {}
    for name, entry in index.items():
        found, _ = parse_map((folder / f"{name}.xml").read_bytes(), source=f"{name}.xml")
        maps[name] = msgspec.structs.replace(found, name=name, about=entry["about"])
    return MappingProxyType(maps)


def find_map(name_or_path: str | Path) -> Map:
    """Return the bundled map of that name, the one that the name draws by chance, or the map in that file.

    >>> find_map("duel").columns
    10
    >>> find_map("generated:7").symmetric
    True
    """
    if isinstance(name_or_path, str) and name_or_path in bundled_maps():
        return bundled_maps()[name_or_path]
    if isinstance(name_or_path, str) and name_or_path.startswith(GENERATED):
        from noctagon.games.vampires.maps.generated import generated_map  # it needs this module itself

        return generated_map(name_or_path)
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix.lower() == ".xml" or path.name != name_or_path:
        return read_map(name_or_path)[0]
    raise UnknownName("map", name_or_path, (*bundled_maps(), f"{GENERATED}7"))
