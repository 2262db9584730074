"""The functions and the shapes of the page's map editor."""

from __future__ import annotations

import random
from typing import Annotated

import msgspec
from msgspec import Meta

from noctagon.core.game import NoctagonError
from noctagon.core.maps import MapChecked, MapEditor
from noctagon.games.vampires.maps.file import MapError, check_group, check_size
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import Map, check_map, parse_map, write_map

MOST_PROBLEMS = 12
"""Maximum number of problems listed; a map with more shows the first ones."""
MOST_HOUSES = 10_000
"""Maximum number of houses in a request."""
SPECIES = ("Vampires", "Werewolves")

Whole = Annotated[int, Meta(ge=-(10**6), le=10**6)]
"""A small number: one that no map can hold is described in words, together with all else that is wrong."""
Size = Annotated[int, Meta(ge=0, le=10**6)]
Group = tuple[Whole, Whole, Whole]


class DrawnMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A map that is being drawn: groups are x, y, count, and a start group may be missing."""

    rows: Size
    columns: Size
    humans: Annotated[tuple[Group, ...], Meta(max_length=MOST_HOUSES)] = ()
    vampires: Group | None = None
    werewolves: Group | None = None


class MapWishes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A range of counts for the houses and one count for both start groups; what is missing is drawn by chance."""

    rows: Size = 10
    columns: Size = 10
    houses: Annotated[int, Meta(ge=0, le=MOST_HOUSES)] = 16
    humans: tuple[Whole, Whole] = (1, 19)
    start: Whole | None = None
    symmetric: bool = True
    seed: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class MapRead(msgspec.Struct, frozen=True, kw_only=True):
    """A map from a file, with warnings about it, or made by chance: the same seed makes it again."""

    map: DrawnMap
    warnings: list[str] = []
    seed: int | None = None


def check(drawn: DrawnMap, most_cells: int) -> MapChecked:
    """Return all that is wrong with a map, or all there is to know about it."""
    problems = find_problems(drawn)
    if problems:
        return MapChecked(problems=problems)
    found = finished(drawn)
    remarks = check_map(found)
    playable = found.rows * found.columns <= most_cells
    if not playable:
        remarks.append(f"larger than the page plays on: that is up to {most_cells:,} cells")
    position = first_position(found) if playable else ""
    return MapChecked(problems=[], remarks=remarks, symmetric=found.symmetric, position=position)


def find_problems(drawn: DrawnMap) -> list[str]:
    """Return why this is no map yet, in words; a map that can be read and played has no problems."""
    try:
        check_size(drawn.rows, drawn.columns)
    except MapError as error:
        return [error.problem]
    starts = dict(zip(SPECIES, (drawn.vampires, drawn.werewolves), strict=True))
    problems = [
        f"there are no {kind}: put their start group somewhere"
        for kind, group in starts.items()
        if group is None
    ]
    groups = {kind: (group,) for kind, group in starts.items() if group is not None}
    taken: dict[tuple[int, int], str] = {}
    for kind, standing in (groups | {"Humans": drawn.humans}).items():
        for x, y, count in standing:
            try:
                check_group(kind, x, y, count, drawn.rows, drawn.columns)
                if not count:
                    raise MapError(f"{kind} at ({x},{y}): an empty house is no house")
                if (x, y) in taken:
                    raise MapError(f"{kind} at ({x},{y}): {taken[x, y]} are there already")
                taken[x, y] = kind
            except MapError as error:
                problems.append(error.problem)
    if len(problems) > MOST_PROBLEMS:
        problems[MOST_PROBLEMS:] = [f"and {len(problems) - MOST_PROBLEMS} more"]
    return problems


def write(drawn: DrawnMap) -> str:
    """Return the map in the course's format."""
    return write_map(finished(drawn))


def read(data: bytes) -> MapRead:
    """Return the map in a file's bytes."""
    found, warnings = parse_map(data)
    return MapRead(map=_drawn(found), warnings=warnings)


def make(wishes: MapWishes) -> MapRead:
    """Make a map by chance, with a seed of its own where none is given."""
    seed = random.SystemRandom().randrange(10**6) if wishes.seed is None else wishes.seed
    made = make_map(
        random.Random(seed),
        rows=wishes.rows,
        columns=wishes.columns,
        houses=wishes.houses,
        humans=wishes.humans,
        start=wishes.start,
        symmetric=wishes.symmetric,
    )
    return MapRead(map=_drawn(made), seed=seed)


def served(drawn: DrawnMap, most_cells: int) -> str:
    """Return the first position on a map that fits into the course's packets and on the page."""
    found = finished(drawn)
    if found.wire_fault:
        raise NoctagonError(found.wire_fault)
    if found.rows * found.columns > most_cells:
        raise NoctagonError(f"the map has more than the {most_cells:,} cells that the page shows")
    return first_position(found)


def finished(drawn: DrawnMap) -> Map:
    """Return the map, if it is one; else raise `NoctagonError` with all its problems."""
    problems = find_problems(drawn)
    if problems:
        raise NoctagonError("; ".join(problems))
    assert drawn.vampires is not None
    assert drawn.werewolves is not None
    return Map(drawn.rows, drawn.columns, drawn.humans, drawn.vampires, drawn.werewolves)


def first_position(found: Map) -> str:
    """Return the position before the first turn, as text."""
    groups = [("H", house) for house in found.humans]
    groups += [("V", found.vampires), ("W", found.werewolves)]
    pieces = " ".join(f"{letter}{x},{y}:{count}" for letter, (x, y, count) in groups)
    return f"{found.rows}x{found.columns} {pieces} V 0"


def _drawn(found: Map) -> DrawnMap:
    return DrawnMap(
        rows=found.rows,
        columns=found.columns,
        humans=found.humans,
        vampires=found.vampires,
        werewolves=found.werewolves,
    )


EDITOR = MapEditor(
    drawn=DrawnMap,
    wishes=MapWishes,
    found=MapRead,
    media_type="application/xml",
    file_name="map.xml",
    check=check,
    write=write,
    read=read,
    make=make,
    served=served,
)
