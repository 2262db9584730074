"""Ways on the grid: how far two cells are apart, and which step leads from one to the other."""

from __future__ import annotations

from noctagon.games.vampires.rules.ruleset import Cell


def distance(a: Cell, b: Cell) -> int:
    """Chebyshev's: how many steps from one cell to another.

    >>> distance((1, 1), (4, 3))
    3
    """
    across, down = abs(a[0] - b[0]), abs(a[1] - b[1])
    return across if across > down else down


def towards(cell: Cell, goal: Cell) -> Cell:
    """The neighbour on the straight way to a goal.

    >>> towards((1, 1), (4, 1))
    (2, 1)
    """
    (x, y), (gx, gy) = cell, goal
    return x + (gx > x) - (gx < x), y + (gy > y) - (gy < y)
