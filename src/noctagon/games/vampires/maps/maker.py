"""Random maps in the manner of the course's generator: turned by half a turn, only the species swap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctagon.games.vampires.maps.file import Cell, MapError, check_size
from noctagon.games.vampires.maps.map import Map
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import distance

if TYPE_CHECKING:
    from random import Random

APART = 3
"""Distance of the two starts where there is room: the first turn brings no group next to the enemy."""


def make_map(
    rng: Random,
    *,
    rows: int,
    columns: int,
    houses: int,
    humans: tuple[int, int] = (1, 19),
    start: int | None = None,
    symmetric: bool = True,
) -> Map:
    """Draw a map by chance; the same `rng` draws the same map.

    The Werewolves start in the left half (the upper one where there is a single column), the Vampires in the
    other. `humans` is the range of a house's count, `start` the count of both start groups (by default drawn
    from 2 to 19, for each on its own when the map is not symmetric).

    >>> from random import Random
    >>> make_map(Random(7), rows=5, columns=10, houses=6).symmetric
    True
    """
    check_size(rows, columns)
    _check_wishes(rows, columns, houses, humans, start, symmetric=symmetric)

    def turned(cell: Cell) -> Cell:
        return columns - 1 - cell[0], rows - 1 - cell[1]

    cells = [(x, y) for y in range(rows) for x in range(columns)]
    home = [(x, y) for x, y in cells if (2 * x < columns - 1 if columns > 1 else 2 * y < rows - 1)]
    apart = min(APART, max(distance(cell, turned(cell)) for cell in home))
    werewolves = rng.choice([cell for cell in home if distance(cell, turned(cell)) >= apart])
    vampires = turned(werewolves)
    if not symmetric:
        vampires = turned(rng.choice([cell for cell in home if distance(werewolves, turned(cell)) >= apart]))
    free = [cell for cell in cells if cell not in (werewolves, vampires)]

    places: list[tuple[Cell, ...]]
    if symmetric:
        places = [(cell, turned(cell)) for cell in free if cell < turned(cell)]
        places = rng.sample(places, houses // 2)
        if houses % 2:
            places.append(((columns // 2, rows // 2),))
    else:
        places = [(cell,) for cell in rng.sample(free, houses)]
    counts = [rng.randint(*humans) for _ in places]
    first = start or rng.randint(2, 19)
    second = first if symmetric else start or rng.randint(2, 19)
    return Map(
        rows=rows,
        columns=columns,
        humans=tuple((*cell, count) for place, count in zip(places, counts, strict=True) for cell in place),
        vampires=(*vampires, second),
        werewolves=(*werewolves, first),
    )


def _check_wishes(
    rows: int, columns: int, houses: int, humans: tuple[int, int], start: int | None, *, symmetric: bool
) -> None:
    size = f"a map of {rows} × {columns}"
    room = rows * columns - 2
    if room < 0:
        raise MapError(f"{size} has no room for two starts")
    if not 0 <= houses <= room:
        raise MapError(f"{size} has room for 0 to {room} houses beside the two starts, not for {houses}")
    if symmetric and houses % 2 and not (rows % 2 and columns % 2):
        raise MapError(
            f"{houses} houses: {size} has no centre cell, so its houses come in pairs; "
            "take an even number, or a map that is not symmetric"
        )
    low, high = humans
    if not 1 <= low <= high <= LARGEST_BYTE:
        raise MapError(
            f"houses of {low} to {high}: a house holds 1 to {LARGEST_BYTE}, the smaller number first"
        )
    if start is not None and not 1 <= start <= LARGEST_BYTE:
        raise MapError(f"a start of {start}: a species starts with 1 to {LARGEST_BYTE}")
