"""The table of a tournament: points, tie-breaks, places and bonus; scores by opponent, map and side.

It is a function of the plan and the games, and explains itself in sentences (`Standings.rules`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import nan
from typing import NamedTuple

from noctagon.arena.bout import Finished
from noctagon.arena.faults import disqualified
from noctagon.arena.formats import Counted, Format, Schedule, TieBreaks
from noctagon.arena.ratings import Ratings, rate
from noctagon.arena.statistics import Score, interval


class Cell(NamedTuple):
    """Points of a player against another one."""

    points: float = 0.0
    games: int = 0


class Row(NamedTuple):
    """A player's line. A disqualified player has no Elo (`nan`), and `disqualified` says why."""

    place: int
    name: str
    points: float
    """Points of games that count, and of byes."""
    games: int
    wins: int
    draws: int
    losses: int
    tie_breaks: tuple[float, ...]
    bonus: float
    elo: float
    error: float
    played: int
    """Number of all games: this and what follows include those that are struck. Without any there is no place yet."""
    late: int
    illegal: int
    faults: int
    seconds_per_turn: float
    longest: float
    disqualified: str = ""

    @property
    def rested(self) -> float:
        """Points of byes: of rounds that count as won without a game."""
        return self.points - self.wins - self.draws / 2


@dataclass(frozen=True)
class Standings:
    """The whole table, the best first."""

    rows: list[Row]
    tie_break_names: tuple[str, ...]
    ratings: Ratings
    cells: dict[tuple[str, str], Cell]
    """Results of the row's player against the column's, in the games that count."""
    rules: list[str]
    counted: list[Finished]
    """The games that count, in the order of the schedule."""

    @cached_property
    def by_map(self) -> dict[str, dict[str, Score]]:
        """Scores by map and player; games from the same start with the sides swapped are one result."""
        return _by_map(self.counted, [row.name for row in self.rows if not row.disqualified])

    @cached_property
    def by_side(self) -> dict[str, tuple[Score, Score]]:
        """Scores of each player moving first and moving second."""
        return _by_side(self.counted, [row.name for row in self.rows if not row.disqualified])


@dataclass
class _Tally:
    """Sums over a player's games."""

    points: float = 0.0
    games: int = 0
    wins: int = 0
    draws: int = 0
    played: int = 0
    late: int = 0
    illegal: int = 0
    faults: int = 0
    turns: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    against: dict[str, list[float]] = field(default_factory=dict)


def rank(
    format: Format,  # noqa: A002 - the plan's word
    games: Sequence[Finished],
    schedule: Schedule,
    *,
    out: Mapping[str, str] | None = None,
) -> Standings:
    """Return the table, from the games in the order of the schedule.

    Who is disqualified, and why, follows from the games, unless `out` says it.
    """
    plan, names = format.plan, format.names
    out = disqualified(plan, games) if out is None else out
    byes = format.bye_points(schedule, out)
    counted = [game for game in games if not _is_struck(game, out)] if out else list(games)
    tallies = {name: _Tally() for name in names}
    _count(tallies, games, counted)
    for name, given in byes.items():
        if name not in out:
            tallies[name].points += given
    left = [name for name in names if name not in out]
    ratings = rate(counted, left)
    points = {name: tallies[name].points for name in left}
    against = {
        name: {other: (one[0], int(one[1])) for other, one in tallies[name].against.items()} for name in left
    }
    breaks = format.tie_breaks(Counted(left, games, counted, points, against, byes), schedule)
    cells = {
        (name, other): Cell(points, int(count))
        for name in left
        for other, (points, count) in tallies[name].against.items()
    }
    nothing = (0.0,) * len(breaks.names)
    rows = _rows(plan.bonus, left, tallies, breaks, ratings)
    rows += [
        _row(len(left) + 1, name, tallies[name], nothing, 0.0, None, out[name])
        for name in names
        if name in out
    ]
    return Standings(rows, breaks.names, ratings, cells, _rules(format, breaks, ratings), counted)


def _is_struck(game: Finished, out: Mapping[str, str]) -> bool:
    return game.players[0] in out or game.players[1] in out


def _count(tallies: dict[str, _Tally], games: Sequence[Finished], counted: Sequence[Finished]) -> None:
    """Add up conduct over all games, points over those that count."""
    for game in games:
        fault = game.fault
        for side in (0, 1):
            tally = tallies[game.players[side]]
            tally.played += 1
            tally.late += game.late[side]
            tally.illegal += game.illegal[side]
            tally.turns += game.turns[side]
            tally.seconds += game.seconds[side]
            tally.faults += side == fault
            if game.longest[side] > tally.longest:
                tally.longest = game.longest[side]
    for game in counted:
        winner = game.winner
        for side in (0, 1):
            tally = tallies[game.players[side]]
            points = 0.5 if winner is None else float(winner == side)
            tally.points += points
            tally.games += 1
            tally.wins += winner == side
            tally.draws += winner is None
            met = tally.against.setdefault(game.players[1 - side], [0.0, 0])
            met[0] += points
            met[1] += 1


def _rows(
    bonuses: Sequence[float],
    left: Sequence[str],
    tallies: Mapping[str, _Tally],
    breaks: TieBreaks,
    ratings: Ratings,
) -> list[Row]:
    """Return the rows of the players who are not out; equals share a place and the bonus of the places they take.

    A player without games comes after those who have played, so that no bonus is lost with its place.
    """
    rows: list[Row] = []
    playing = [name for name in left if tallies[name].played]
    order = sorted(playing, key=breaks.key, reverse=True)  # stable: equals stay in the order of the plan
    for _, group in groupby(order, breaks.key):
        equals = list(group)
        place = len(rows) + 1
        bonus = sum(bonuses[place - 1 : place - 1 + len(equals)]) / len(equals)
        rows += [_row(place, name, tallies[name], breaks.shown(name), bonus, ratings) for name in equals]
    resting = sorted((name for name in left if name not in playing), key=breaks.key, reverse=True)
    return rows + [
        _row(len(rows) + 1, name, tallies[name], breaks.shown(name), 0.0, ratings) for name in resting
    ]


def _row(
    place: int,
    name: str,
    tally: _Tally,
    shown: tuple[float, ...],
    bonus: float,
    ratings: Ratings | None,
    reason: str = "",
) -> Row:
    return Row(
        place=place,
        name=name,
        points=tally.points,
        games=tally.games,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.games - tally.wins - tally.draws,
        tie_breaks=shown,
        bonus=bonus,
        elo=ratings[name].elo if ratings else nan,
        error=ratings[name].error if ratings else nan,
        played=tally.played,
        late=tally.late,
        illegal=tally.illegal,
        faults=tally.faults,
        seconds_per_turn=tally.seconds / tally.turns if tally.turns else 0.0,
        longest=tally.longest,
        disqualified=reason,
    )


def _by_map(games: Sequence[Finished], names: Sequence[str]) -> dict[str, dict[str, Score]]:
    pairs: dict[tuple[str, int, int, str, str], list[float]] = {}
    for game in games:
        first, second = game.players
        swapped = first > second
        key = (game.setup, game.round, game.seed, *((second, first) if swapped else (first, second)))
        pairs.setdefault(key, []).append(game.points(int(swapped)))
    sums: dict[str, dict[str, _Sums]] = {}
    for (setup, _, _, one, other), points in pairs.items():
        mean = sum(points) / len(points)
        players = sums.setdefault(setup, {})
        players.setdefault(one, _Sums()).add(mean)
        players.setdefault(other, _Sums()).add(1 - mean)
    return {
        setup: {name: players[name].score() for name in names if name in players}
        for setup, players in sums.items()
    }


def _by_side(games: Sequence[Finished], names: Sequence[str]) -> dict[str, tuple[Score, Score]]:
    sums = {name: (_Sums(), _Sums()) for name in names}
    for game in games:
        for side in (0, 1):
            sums[game.players[side]][side].add(game.points(side))
    return {name: (first.score(), second.score()) for name, (first, second) in sums.items()}


class _Sums:
    """A sum of scores, and what their interval needs."""

    __slots__ = ("count", "squares", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.squares = 0.0

    def add(self, points: float) -> None:
        self.count += 1
        self.total += points
        self.squares += points * points

    def score(self) -> Score:
        around = self.squares - self.total**2 / max(1, self.count)
        return interval(self.count, self.total, max(0.0, around))


def _rules(format: Format, breaks: TieBreaks, ratings: Ratings) -> list[str]:  # noqa: A002
    """Return how the table was made, in sentences for the report."""
    plan = format.plan
    rules = ["A game won is 1 point, a draw ½ for each."]
    rules += breaks.rules
    rules.append(_bonus_rule(plan.bonus))
    if plan.disqualify:
        times = f"{plan.disqualify} games in a row" if plan.disqualify > 1 else "a game"
        rules.append(
            f"A player that loses {times} by a crash, on time or by nonsense is disqualified: it comes last, and all "
            "its games are struck, also those it won."
        )
        if format.disqualified_rule:
            rules.append(format.disqualified_rule)
    else:
        rules.append("Nobody is disqualified, however often a program fails.")
    rules.append(
        "Elo is Bradley–Terry by maximum likelihood with the advantage of moving first, over the games that count; "
        "the mean of all players is 0, and ± is the half width of the 95 % interval. It does not decide places."
    )
    apart = [group for group in ratings.groups if len(group) > 1]
    if len(ratings.groups) > 1 and apart:
        groups = "; ".join(", ".join(group) for group in ratings.groups)
        rules.append(
            f"Not all players are connected by games ({groups}): Elo compares within a group only, and the error bars "
            "across groups say so."
        )
    return rules


def _bonus_rule(bonus: Sequence[float]) -> str:
    if not any(bonus):
        return "There is no bonus. Players who are equal in all of this share the place."
    given = ", ".join(f"{points:g}" for points in bonus)
    return (
        f"The bonus of the first {len(bonus)} is {given}. Players who are equal in all of this share the place, and "
        "share equally the bonus of the places they take."
    )
