"""Gauntlet: the first player meets each of the others."""

from __future__ import annotations

from noctagon.arena.formats.format import Format, GamesSoFar, Schedule
from noctagon.arena.formats.tie_breaks import DIRECT_RULE, Counted, TieBreaks, direct_encounter
from noctagon.arena.meetings import Meeting


class Gauntlet(Format):
    title = "gauntlet"
    phrase = "a gauntlet"
    about = "The first player meets each of the others, `rounds` times: is my new version better than all of these?"

    def schedule(self, played: GamesSoFar) -> Schedule:
        cycles = range(1, (self.plan.rounds or 1) + 1)
        first, *others = self.names
        return Schedule([Meeting(cycle, first, other) for cycle in cycles for other in others])

    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        # The first player has many times the games of the others, so points would put it first whatever it scored.
        games = {name: sum(count for _, count in counted.against[name].values()) for name in counted.names}
        share = {name: counted.points[name] / games[name] if games[name] else 0.0 for name in counted.names}
        return TieBreaks(
            {"Share": share, "Direct encounter": direct_encounter(counted, lambda name: (share[name],))},
            [
                "In a gauntlet the first player plays more than the others.",
                f"So the order is by the share of the points; among equals by {DIRECT_RULE}.",
            ],
        )
