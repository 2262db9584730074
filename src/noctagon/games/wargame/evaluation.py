"""What a position is worth to the attacker (side 0), who maximises; the defender minimises.

Both are computed by the kernel; importing this module compiles nothing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from noctagon.games.wargame.state import desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctagon.games.wargame.state import WargameState

UNIT_WORTH = (0, 30, 24, 12, 16)
"""What a unit adds to `health` as long as it stands, in the order of `units.KINDS`."""
HEALTH_WORTH = (12, 6, 4, 2, 3)
"""What each point of its health adds."""
VIRUS_STEP = 2
"""What a Virus adds with every step towards the enemy's AI."""


def e0(state: WargameState) -> float:
    """The course's e0: 3 for each unit, 9999 for the AI, attacker minus defender; blind to the turn limit."""
    d = desk()
    d.put(state.key)
    return float(d.record.e0)


def health(state: WargameState) -> float:
    """Units and their health, Viruses near the enemy's AI; a won game is worth more than all of that."""
    d = desk()
    d.put(state.key)
    value, weights = _health()
    return float(value(d.record, weights))


@cache
def _health() -> tuple[Callable[[Any, Any], int], Any]:
    """The compiled evaluation with its weights, imported when first asked for."""
    import numpy as np

    from noctagon.games.wargame import evaluation_kernel

    return evaluation_kernel.health, np.array([*UNIT_WORTH, *HEALTH_WORTH, VIRUS_STEP], np.int32)
