"""The criteria by which formats order their players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from noctagon.arena.bout import Finished

Values = Mapping[str, float]


class Counted(NamedTuple):
    """The games of a tournament counted, for the players who are not disqualified."""

    names: Sequence[str]
    """These players, in the order of the plan."""
    games: Sequence[Finished]
    """All games, in the order of the schedule, also those that are struck."""
    counting: Sequence[Finished]
    """The games that are not struck: those without a disqualified player."""
    points: Values
    against: Mapping[str, Mapping[str, tuple[float, int]]]
    """Points and games of each player against each opponent."""
    byes: Values
    """Points for rounds without an opponent; `points` has them too."""


class TieBreaks(NamedTuple):
    """The criteria that decide the order, the most important first, each with its value for every player."""

    criteria: dict[str, Values]
    rules: list[str]
    """The same in sentences, for the report."""
    points: Values | None = None
    """Points, where they decide before all criteria."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.criteria)

    def shown(self, name: str) -> tuple[float, ...]:
        return tuple(values[name] for values in self.criteria.values())

    def key(self, name: str) -> tuple[float, ...]:
        """Return what players are sorted by: more is better, equal keys share a place."""
        return self.shown(name) if self.points is None else (self.points[name], *self.shown(name))


DIRECT_RULE = (
    "direct encounter (points in the games among those who are still tied, if all of them met equally often)"
)
BERGER_RULE = "Sonneborn–Berger (for each game, the opponent's points times what was scored)"


def direct_encounter(counted: Counted, tied: Callable[[str], tuple[float, ...]]) -> Values:
    """Return the points among players with the same `tied`, where all of them met equally often; else 0."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for name in counted.names:
        groups.setdefault(tied(name), []).append(name)
    against = counted.against
    found = dict.fromkeys(counted.names, 0.0)
    for group in groups.values():
        met = {against[one].get(other, (0.0, 0))[1] for one, other in combinations(group, 2)}
        # With different numbers of games the sum would favour the player with more of them.
        if len(met) == 1 and met != {0}:
            for name in group:
                found[name] = sum(against[name][other][0] for other in group if other != name)
    return found


def sonneborn_berger(counted: Counted) -> Values:
    """Return for each player the sum over its games of what it scored times the opponent's points."""
    return {
        name: sum(scored * counted.points[other] for other, (scored, _) in counted.against[name].items())
        for name in counted.names
    }


def wins(counted: Counted) -> Values:
    """Return how many games each player won."""
    found = dict.fromkeys(counted.names, 0.0)
    for game in counted.counting:
        if game.winner is not None:
            found[game.players[game.winner]] += 1
    return found
