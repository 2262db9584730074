"""The first heuristic of the 2019 report (section 3.3): humans and distance, enemies and distance, totals.

The report names what it is a function of and gives no formula; this one is ours:

    totals  = TOTALS · (our creatures − their creatures)
    humans  = HUMANS · Σ n / (d + 1) over the houses one of our groups can eat, d from the nearest such group
    enemies = ENEMIES · (Σ n / (d + 1) over the enemy groups one of ours can eat
                         − Σ n / (d + 1) over our groups one of theirs can eat)

It is always from one player's point of view, whoever is to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctagon.games.vampires.players.smartscan import MOST_FOES, MOST_HOUSES, around

if TYPE_CHECKING:
    from noctagon.core.game import Side
    from noctagon.games.vampires.rules.state import VampiresState

TOTALS = 1.0
"""What a creature more is worth."""
HUMANS = 0.3
"""What a human is worth that could be eaten at once, were it not for the distance."""
ENEMIES = 0.3
"""The same for an enemy, and, lost, for one of ours."""

Groups = list[tuple[int, int, int]]


def first_heuristic(state: VampiresState, side: Side) -> dict[str, float]:
    """How well a side stands, in creatures, term by term."""
    own, foes = (state.own, state.foes) if state.side == side else (state.foes, state.own)
    ours, theirs = around(own, foes, MOST_FOES), around(foes, own, MOST_FOES)
    return {
        "totals": TOTALS * (sum(own.values()) - sum(foes.values())),
        "humans": HUMANS * _within_reach(ours, around(state.humans, own, MOST_HOUSES), 1.0),
        "enemies": ENEMIES * (_within_reach(ours, theirs, 1.5) - _within_reach(theirs, ours, 1.5)),
    }


def _within_reach(hunters: Groups, prey: Groups, needed: float) -> float:
    """The prey that some hunters are numerous enough for, each group divided by the distance + 1."""
    total = 0.0
    for x, y, count in prey:
        nearest = 1000
        for hx, hy, hunting in hunters:
            if hunting >= needed * count:
                dx, dy = abs(x - hx), abs(y - hy)
                away = dx if dx > dy else dy
                if away < nearest:
                    nearest = away
        if nearest < 1000:
            total += count / (nearest + 1)
    return total
