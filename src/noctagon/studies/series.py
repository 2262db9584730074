"""Series of games with an aim, which end as soon as a sequential test can tell whether the aim is reached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

from noctagon.arena.starts import Start
from noctagon.arena.statistics import Score, score
from noctagon.studies.pairs import Conditions, Played
from noctagon.studies.tasks import GameResult, GameTask, Result, Task

ERROR = 0.05
"""How often the test may be wrong, in either direction."""
BELOW = 0.05
"""The test tells a score of the aim less this much …"""
ABOVE = 0.5
"""… from one that is this share of the way from the aim to all points."""


class Aim(NamedTuple):
    """What the player should score: of all points, or of those of the games in which it has this side."""

    at_least: float
    side: int | None = None

    def points(self, games: Sequence[GameResult]) -> float:
        """The player's score in a pair, of which it begins the first game."""
        if self.side is not None:
            return games[self.side].points(self.side)
        return sum(game.points(side) for side, game in enumerate(games)) / len(games)


class Sequential:
    """Wald's sequential probability ratio test of a mean score between 0 and 1.

    For wins and losses it is Wald's test of two probabilities. A shared point counts as that share of a win and
    of a loss: the ratio then is a convex function of the point, so on average it is not larger than between
    wins and losses with the same mean, and its chance ever to exceed 1 / ERROR by mistake is at most ERROR.

    >>> test = Sequential(0.9)
    >>> [test.add(1.0) for _ in range(27)][-2:]
    [None, True]
    """

    def __init__(self, at_least: float) -> None:
        low, high = at_least - BELOW, at_least + ABOVE * (1 - at_least)
        self.win, self.loss = log(high / low), log((1 - high) / (1 - low))
        self.sum = 0.0
        self.verdict: bool | None = None

    def add(self, points: float) -> bool | None:
        """Whether the aim is reached, as soon as that is known; what is known stays."""
        self.sum += points * self.win + (1 - points) * self.loss
        if self.verdict is None and abs(self.sum) >= -log(ERROR):
            self.verdict = self.sum > 0
        return self.verdict


def nowhere(results: Mapping[Task, Result]) -> Collection[str]:
    """No setup is apart."""
    return ()


@dataclass(frozen=True)
class Series:
    """Games of a player against an opponent, start by start, each with the sides swapped unless `one_way`.

    Nothing is left out before `least` starts; then it ends once all `aims` are decided. Starts on setups that are
    `apart` are played, but the aims do not count them. Without aims everything is played.
    """

    conditions: Conditions
    player: str
    opponent: str
    starts: tuple[Start, ...]
    aims: tuple[Aim, ...] = ()
    least: int = 0
    one_way: bool = False
    apart: Callable[[Mapping[Task, Result]], Collection[str]] = nowhere

    @cached_property
    def games(self) -> dict[Start, tuple[GameTask, ...]]:
        """The games at each start, the one that the player begins first."""
        pairs = {start: self.conditions.pair(self.player, self.opponent, start) for start in self.starts}
        return {start: pair[:1] if self.one_way else pair for start, pair in pairs.items()}

    def tasks(self) -> list[Task]:
        return [task for start in self.starts for task in self.games[start]]

    def found(self, start: Start, results: Mapping[Task, Result]) -> tuple[GameResult, ...] | None:
        """What came of a start, if all its games have been played."""
        games = [results.get(task) for task in self.games[start]]
        done = tuple(game for game in games if isinstance(game, GameResult))
        return done if len(done) == len(games) else None

    def stop(self, results: Mapping[Task, Result]) -> int | None:
        """After how many starts all aims are decided; the order of the starts counts, not that of the results."""
        if not self.aims:
            return None
        tests = [Sequential(aim.at_least) for aim in self.aims]
        apart = self.apart(results)
        for number, start in enumerate(self.starts, 1):
            games = self.found(start, results)
            if games is None:
                return None
            if start.setup not in apart:
                for aim, test in zip(self.aims, tests, strict=True):
                    test.add(aim.points(games))
            if number >= self.least and all(test.verdict is not None for test in tests):
                return number
        return None

    def played(self, results: Mapping[Task, Result]) -> dict[Start, tuple[GameResult, ...]]:
        """The games that count, up to where the series ended."""
        starts = self.starts[: self.stop(results)]
        found = {start: self.found(start, results) for start in starts}
        return {start: games for start, games in found.items() if games is not None}

    def pairs(self, results: Mapping[Task, Result]) -> Played:
        """The same as pairs, for the tables."""
        pairs = {start: (games[0], games[1]) for start, games in self.played(results).items()}
        return Played(self.player, self.opponent, pairs, self.stop(results) or len(self.starts))

    def score(self, aim: Aim, results: Mapping[Task, Result], *, apart: bool = False) -> Score:
        """What was scored towards an aim; with `apart`, on the setups that do not count."""
        setups = self.apart(results)
        games = self.played(results).items()
        return score([aim.points(pair) for start, pair in games if (start.setup in setups) == apart])


class Schedule:
    """Which work is still wanted, while results come in: that of series which are not decided yet, and all other."""

    def __init__(self, series: Sequence[Series], results: Mapping[Task, Result]) -> None:
        self.results = results
        self.places: dict[Task, list[tuple[Series, int]]] = {}
        for one in series:
            for number, start in enumerate(one.starts):
                for task in one.games[start]:
                    self.places.setdefault(task, []).append((one, number))

    def wants(self, task: Task) -> bool:
        """Whether some series has not ended before this game."""
        if task not in self.places:
            return True
        stops = ((series.stop(self.results), number) for series, number in self.places[task])
        return any(stop is None or number < stop for stop, number in stops)
