"""What the map editor asks: is this a map, what does its file look like; these functions run in a worker process."""

from __future__ import annotations

import random

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.games.vampires.maps.file import Group, MapError, check_group, check_size
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import Map, check_map, parse_map, write_map
from noctagon.web.questions import LARGEST_BOARD

MOST_PROBLEMS = 12
"""So many are told at a time: whoever has more begins with these."""
SPECIES = ("Vampires", "Werewolves")


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A map that is being drawn: it may still lack a start group."""

    rows: int
    columns: int
    humans: tuple[Group, ...] = ()
    vampires: Group | None = None
    werewolves: Group | None = None


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a map; if nothing is, what to know about it, and the position in which a game on it begins."""

    problems: list[str]
    remarks: list[str] = []
    symmetric: bool = False
    position: str = ""


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """A map from a file or from the map maker; `seed` draws it again."""

    map: Drawn
    warnings: list[str] = []
    seed: int | None = None


def check(drawn: Drawn) -> Checked:
    """All that is wrong with a map, or all there is to know about it."""
    problems = find_problems(drawn)
    if problems:
        return Checked(problems=problems)
    found = whole(drawn)
    remarks = check_map(found)
    playable = found.rows * found.columns <= LARGEST_BOARD
    if not playable:
        remarks.append(f"larger than the page plays on: that is up to {LARGEST_BOARD:,} cells")
    position = position_of(found) if playable else ""
    return Checked(problems=[], remarks=remarks, symmetric=found.symmetric, position=position)


def find_problems(drawn: Drawn) -> list[str]:
    """Why this is no map yet, in words; one that can be read and played has none."""
    try:
        check_size(drawn.rows, drawn.columns)
    except MapError as error:
        return [error.problem]
    problems = [f"there are no {kind}: put their start group somewhere" for kind in _missing(drawn)]
    taken: dict[tuple[int, int], str] = {}
    for kind, groups in _groups(drawn).items():
        for x, y, count in groups:
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


def xml(drawn: Drawn) -> str:
    """The map in the course's format."""
    return write_map(whole(drawn))


def serve(drawn: Drawn) -> str:
    """The position in which games on the map begin, if it fits into the course's packets and on the page."""
    found = whole(drawn)
    if found.wire_fault:
        raise NoctagonError(found.wire_fault)
    if found.rows * found.columns > LARGEST_BOARD:
        raise NoctagonError(f"the map has more than the {LARGEST_BOARD:,} cells that the page shows")
    return position_of(found)


def parse(data: bytes) -> Read:
    """The map in a file's bytes."""
    found, warnings = parse_map(data)
    return Read(map=_drawn(found), warnings=warnings)


def generate(
    rows: int,
    columns: int,
    houses: int,
    humans: tuple[int, int],
    start: int | None,
    symmetric: bool,
    seed: int | None,
) -> Read:
    """A map drawn by chance."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    low, high = humans
    made = make_map(
        random.Random(seed),
        rows=rows,
        columns=columns,
        houses=houses,
        humans=(low, high),
        start=start,
        symmetric=symmetric,
    )
    return Read(map=_drawn(made), seed=seed)


def whole(drawn: Drawn) -> Map:
    """The map, if it is one."""
    problems = find_problems(drawn)
    if problems:
        raise NoctagonError("; ".join(problems))
    assert drawn.vampires is not None
    assert drawn.werewolves is not None
    return Map(drawn.rows, drawn.columns, drawn.humans, drawn.vampires, drawn.werewolves)


def position_of(found: Map) -> str:
    """The position before the first turn, as text."""
    groups = [("H", house) for house in found.humans]
    groups += [("V", found.vampires), ("W", found.werewolves)]
    pieces = " ".join(f"{letter}{x},{y}:{count}" for letter, (x, y, count) in groups)
    return f"{found.rows}x{found.columns} {pieces} V 0"


def _drawn(found: Map) -> Drawn:
    return Drawn(
        rows=found.rows,
        columns=found.columns,
        humans=found.humans,
        vampires=found.vampires,
        werewolves=found.werewolves,
    )


def _groups(drawn: Drawn) -> dict[str, tuple[Group, ...]]:
    starts = zip(SPECIES, (drawn.vampires, drawn.werewolves), strict=True)
    return {kind: (group,) for kind, group in starts if group is not None} | {"Humans": drawn.humans}


def _missing(drawn: Drawn) -> list[str]:
    starts = zip(SPECIES, (drawn.vampires, drawn.werewolves), strict=True)
    return [kind for kind, group in starts if group is None]
