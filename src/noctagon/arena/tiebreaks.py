"""Who comes first: what decides in each format of a tournament, and what decides between equals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from noctagon.arena.bout import Finished
from noctagon.arena.plan import Format

Values = Mapping[str, float]
Against = Mapping[str, Mapping[str, tuple[float, int]]]
"""Of each player against each opponent: points and games."""


class Breaks(NamedTuple):
    """What decides, the most important first, each with its value for every player; and the rules in sentences."""

    criteria: dict[str, Values]
    rules: list[str]
    points: Values | None = None
    """What decides before all others, where that is points."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.criteria)

    def shown(self, name: str) -> tuple[float, ...]:
        return tuple(values[name] for values in self.criteria.values())

    def key(self, name: str) -> tuple[float, ...]:
        """More is better; the same is a tie."""
        return self.shown(name) if self.points is None else (self.points[name], *self.shown(name))


DIRECT = (
    "direct encounter (points in the games among those who are still tied, if all of them met equally often)"
)
BUCHHOLZ = (
    "Buchholz (the sum of the points of all opponents; a round without one counts as an opponent with the player's "
    "own points)"
)
BERGER = "Sonneborn–Berger (for each game, the opponent's points times what was scored)"


def tie_breaks(
    format: Format,  # noqa: A002 - the plan's word
    names: Sequence[str],
    games: Sequence[Finished],
    counted: Sequence[Finished],
    points: Values,
    against: Against,
    byes: Values,
    *,
    seeds: Sequence[str],
    through: Values | None = None,
) -> Breaks:
    """What decides in a format, for the `names` who are not out; `seeds` are all, in the order of the plan.

    `games` are all that were played, `counted` those that are not struck; `through` is as in `Schedule`.
    """
    match format:
        case "knockout":
            return _knockout(names, games, seeds, through)
        case "gauntlet":
            return _gauntlet(names, points, against)
        case "swiss":
            buchholz = _buchholz(names, counted, points, byes)
            return Breaks(
                {
                    "Buchholz": buchholz,
                    "Direct encounter": direct(names, against, lambda name: (points[name], buchholz[name])),
                    "Sonneborn–Berger": sonneborn_berger(names, against, points),
                    "Wins": _wins(names, counted),
                },
                [
                    f"The order is by points; among equals by {BUCHHOLZ}, then {DIRECT}, then {BERGER}, then games won."
                ],
                points,
            )
        case "round-robin":
            return Breaks(
                {
                    "Direct encounter": direct(names, against, lambda name: (points[name],)),
                    "Sonneborn–Berger": sonneborn_berger(names, against, points),
                    "Wins": _wins(names, counted),
                },
                [f"The order is by points; among equals by {DIRECT}, then {BERGER}, then games won."],
                points,
            )


def direct(names: Sequence[str], against: Against, tied: Callable[[str], tuple[float, ...]]) -> Values:
    """Points among those who are tied, where all of them met equally often; 0 where they did not."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for name in names:
        groups.setdefault(tied(name), []).append(name)
    found = dict.fromkeys(names, 0.0)
    for group in groups.values():
        met = {against[one].get(other, (0.0, 0))[1] for one, other in combinations(group, 2)}
        if len(met) == 1 and met != {0}:
            for name in group:
                found[name] = sum(against[name][other][0] for other in group if other != name)
    return found


def sonneborn_berger(names: Sequence[str], against: Against, points: Values) -> Values:
    """To have scored against those who scored."""
    return {
        name: sum(scored * points[other] for other, (scored, _) in against[name].items()) for name in names
    }


def _buchholz(names: Sequence[str], counted: Sequence[Finished], points: Values, byes: Values) -> Values:
    """The points of all opponents, meeting by meeting."""
    meetings = dict.fromkeys((game.round, min(game.players), max(game.players)) for game in counted)
    sums = dict.fromkeys(names, 0.0)
    for _, one, other in meetings:
        sums[one] += points[other]
        sums[other] += points[one]
    games = max(1, len(counted)) / max(1, len(meetings))
    for name, given in byes.items():
        if name in sums:
            sums[name] += points[name] * round(given / games)
    return sums


def _wins(names: Sequence[str], counted: Sequence[Finished]) -> Values:
    wins = dict.fromkeys(names, 0.0)
    for game in counted:
        if game.winner is not None:
            wins[game.players[game.winner]] += 1
    return wins


def _gauntlet(names: Sequence[str], points: Values, against: Against) -> Breaks:
    """One player has many times the games of the others, so the share of the points decides."""
    games = {name: sum(count for _, count in against[name].values()) for name in names}
    share = {name: points[name] / games[name] if games[name] else 0.0 for name in names}
    return Breaks(
        {"Share": share, "Direct encounter": direct(names, against, lambda name: (share[name],))},
        [
            "In a gauntlet the first player plays more than the others.",
            f"So the order is by the share of the points; among equals by {DIRECT}.",
        ],
    )


def _knockout(
    names: Sequence[str], games: Sequence[Finished], seeds: Sequence[str], through: Values | None
) -> Breaks:
    """How far a player came: as the schedule says, else the round of its last meeting, and one more if it won that."""
    meetings: dict[str, dict[int, list[float]]] = {name: {} for name in names}
    opponents: dict[tuple[str, int], str] = {}
    for game in games:
        for side, name in enumerate(game.players):
            if name in meetings:
                meetings[name].setdefault(game.round, []).append(game.points(side))
                opponents[name, game.round] = game.players[1 - side]
    # A rival that is out later was no worse for it.
    seed = {name: number for number, name in enumerate(seeds)}
    reached, last = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for name, rounds in meetings.items():
        if rounds:
            number = max(rounds)
            share = sum(rounds[number]) / len(rounds[number])
            rival = opponents[name, number]
            further = share > 0.5 or (share == 0.5 and seed[name] < seed[rival])
            reached[name] = number + further
            last[name] = share
    if through is not None:
        reached = {name: float(through[name]) for name in names}
    return Breaks(
        {"Round": reached, "Last meeting": last},
        [
            "The order is by the round a player came to; the winner of the final came one further.",
            "Among those who went out in the same round the share of the points in their last meeting decides.",
            "A meeting that stays drawn after its replays is won by the player named first in the plan.",
        ],
    )
