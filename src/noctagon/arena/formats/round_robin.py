"""Round robin: every player meets every other."""

from __future__ import annotations

from collections.abc import Sequence

from noctagon.arena.formats.format import Format, GamesSoFar, Schedule
from noctagon.arena.formats.tie_breaks import (
    BERGER_RULE,
    DIRECT_RULE,
    Counted,
    TieBreaks,
    direct_encounter,
    sonneborn_berger,
    wins,
)
from noctagon.arena.meetings import Meeting


class RoundRobin(Format):
    title = "round robin"
    phrase = "a round robin"
    about = "Every player meets every other, `rounds` times."

    def schedule(self, played: GamesSoFar) -> Schedule:
        cycles = range(1, (self.plan.rounds or 1) + 1)
        pairs = circle(self.names)
        return Schedule([Meeting(cycle, *pair) for cycle in cycles for pair in pairs])

    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        points = counted.points
        return TieBreaks(
            {
                "Direct encounter": direct_encounter(counted, lambda name: (points[name],)),
                "Sonneborn–Berger": sonneborn_berger(counted),
                "Wins": wins(counted),
            },
            [f"The order is by points; among equals by {DIRECT_RULE}, then {BERGER_RULE}, then games won."],
            points,
        )


def circle(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return all pairs in the order of the circle method: after each round all have met as many others.

    >>> circle(["a", "b", "c", "d"])
    [('a', 'd'), ('b', 'c'), ('a', 'c'), ('d', 'b'), ('a', 'b'), ('c', 'd')]
    """
    places = [*names, ""] if len(names) % 2 else list(names)  # the player opposite the empty place rests
    pairs: list[tuple[str, str]] = []
    for _ in range(len(places) - 1):
        half = len(places) // 2
        pairs += zip(places[:half], reversed(places[half:]), strict=True)
        places = [places[0], places[-1], *places[1:-1]]  # the first stays, the others move on by one
    return [pair for pair in pairs if all(pair)]
