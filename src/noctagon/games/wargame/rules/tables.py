"""The kernel's tables, frozen by `noctagon.compiled.jit`: neighbours as sets of cells, damage, repair, worth."""

from typing import Any

import numpy as np

from noctagon.games.wargame.rules import units


def _neighbours(cell: int, *steps: tuple[int, int]) -> int:
    """Return the cells those steps (rows down, columns right) away, as a set; steps off the board lead nowhere."""
    row, column = divmod(cell, 5)
    return sum(
        1 << (row + down) * 5 + column + right
        for down, right in steps
        if 0 <= row + down < 5 and 0 <= column + right < 5
    )


def _by_kind(table: tuple[tuple[int, ...], ...]) -> np.ndarray[Any, Any]:
    """Return a table of the rules by `source kind << 3 | target kind`."""
    flat = np.zeros(64, np.int64)
    for source, row in enumerate(table):
        flat[source * 8 : source * 8 + 5] = row
    return flat


_UP, _LEFT, _RIGHT, _DOWN = (-1, 0), (0, -1), (0, 1), (1, 0)
_ALL = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]

BESIDE = np.array([_neighbours(cell, _UP, _LEFT, _RIGHT, _DOWN) for cell in range(25)], np.int64)
AROUND = np.array([_neighbours(cell, *_ALL) for cell in range(25)], np.int64)
AHEAD = np.array(
    [[_neighbours(cell, *steps) for cell in range(25)] for steps in ((_UP, _LEFT), (_RIGHT, _DOWN))], np.int64
)
"""Cells that AI, Firewall and Program of a side may move to, by cell."""
DAMAGE = _by_kind(units.DAMAGE)
REPAIR = _by_kind(units.REPAIR)
WORTH = np.array([[9999, 3, 3, 3, 3], [-9999, -3, -3, -3, -3]], np.int64)
"""A unit's share of e0, by side and kind."""
