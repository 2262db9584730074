"""Series of paired games: the same start and seed twice with the sides swapped, until enough is known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log
from random import Random
from typing import NamedTuple

from noctagon.arena.starts import Start
from noctagon.arena.statistics import Score, score
from noctagon.arena.versions import version_of
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import find_player
from noctagon.players.options import option_defaults
from noctagon.studies.tasks import GameResult, GameTask, Task, TaskResult

ERROR = 0.05
"""Largest chance that the sequential test errs, in either direction."""
BELOW = 0.05
"""Distance from the aim to the lower of the two scores that the test tells apart …"""
ABOVE = 0.5
"""… and to the higher one, as a share of the way from the aim to all points."""

BOTH = (0, 1)
Results = Mapping[Task, TaskResult]


class Conditions(NamedTuple):
    """The way in which games are played: setups, openings, clocks."""

    game: str
    setups: tuple[str, ...]
    seconds: float
    """The referee's limit for a turn."""
    plies: int | None
    think: float | None
    """The time for a turn of a player with a `time` option, unless its spec has one; None leaves its default."""
    opening: int
    """Quiet steps drawn by chance, in every pair on a setup but the first."""
    generator: str = ""
    from_setup: bool = True
    """True if the first pair on a setup begins at the setup itself."""
    most: float = float("inf")
    """The longest time that a player is given, whatever its spec says."""
    calm: int = 0
    """Plies within which no opening leaves a side a forced win."""

    def starts(self, pairs: int) -> tuple[Start, ...]:
        """Return the starts of this many pairs: every setup once in an order drawn by chance, then all again."""
        starts: list[Start] = []
        number = 0
        while len(starts) < pairs:
            setups = Random(number).sample(self.setups, len(self.setups))
            starts += [self.start(setup, number) for setup in setups]
            number += 1
        return tuple(starts[:pairs])

    def start(self, setup: str, number: int) -> Start:
        """Return the start of a setup's pair with this number, from 0."""
        number += not self.from_setup
        return Start(setup, number, self.opening, self.generator, self.calm) if number else Start(setup)

    def timed(self, player: str) -> str:
        """Return a player's spec with its time, where it takes one.

        >>> Conditions("vampires", ("duel",), 2.0, 80, 0.03, 0).timed("alphabeta:depth=2")
        'alphabeta:depth=2,time=0.03'
        """
        spec = PlayerSpec.parse(player)
        game = find_game(self.game)
        if spec.path or spec.command or "time" not in option_defaults(find_player(spec.name, game)):
            return player
        given = spec.options.get("time", self.think)
        if given is None and self.most == float("inf"):
            return player
        time = min(self.most if given is None else float(given), self.most)
        return str(PlayerSpec(spec.name, {**spec.options, "time": f"{time:g}"}))

    def game_task(self, first: str, second: str, start: Start) -> GameTask:
        """Return the game of two players at a start."""
        players = (self.timed(first), self.timed(second))
        versions = (program_version(first), program_version(second))
        return GameTask(
            self.game, players, start, self.seconds, self.plies, versions if any(versions) else ()
        )

    def pair(self, player: str, opponent: str, start: Start) -> tuple[GameTask, GameTask]:
        """Return both games of a pair."""
        return self.game_task(player, opponent, start), self.game_task(opponent, player, start)


@cache
def program_version(player: str) -> str:
    """Return the checksum of a player's program; nothing for a player of this package."""
    spec = PlayerSpec.parse(player)
    return version_of(spec) if spec.path or spec.command else ""


class Aim(NamedTuple):
    """The score that a player should reach: of all points, or of those of the games in which it has one side."""

    at_least: float
    side: int | None = None

    def points(self, games: Mapping[int, GameResult]) -> float:
        """Return the player's score in the games of a pair, by its side."""
        if self.side is not None:
            return games[self.side].points(self.side)
        return sum(game.points(side) for side, game in games.items()) / len(games)


@dataclass(frozen=True)
class PlayedPairs:
    """The games of a player against an opponent, for each start by the player's side."""

    pairs: dict[Start, dict[int, GameResult]]
    wanted: int

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(map(len, self.pairs.values()))

    def scores(self, setup: str | None = None) -> list[float]:
        """Return the player's score in each pair, on all setups or on one."""
        anyhow = Aim(0)
        return [anyhow.points(games) for start, games in self.pairs.items() if setup in (None, start.setup)]

    @property
    def score(self) -> Score:
        """The player's score over all pairs."""
        return score(self.scores())

    def by_setup(self) -> dict[str, Score]:
        """Return the player's score on each setup."""
        setups = dict.fromkeys(start.setup for start in self.pairs)
        return {setup: score(self.scores(setup)) for setup in setups}

    def of(self, side: int | None) -> PlayedPairs:
        """Return only the games in which the player has this side; None stands for either."""
        if side is None:
            return self
        return PlayedPairs({start: {side: games[side]} for start, games in self.pairs.items()}, self.wanted)

    def __iter__(self) -> Iterator[tuple[int, GameResult]]:
        """Yield all games with the player's side."""
        return (found for games in self.pairs.values() for found in games.items())

    @property
    def different(self) -> int:
        """The number of games that do not repeat another."""
        return len(
            {(start.setup, game.moves) for start, games in self.pairs.items() for game in games.values()}
        )

    @property
    def draws(self) -> int:
        """The number of drawn games."""
        return sum(game.winner is None for _, game in self)

    @property
    def plies(self) -> float:
        """The mean length of a game."""
        return mean(sum(game.turns) for _, game in self)

    @property
    def pieces(self) -> float:
        """The player's largest number of pieces in a game, in the mean."""
        return mean(game.pieces[side] for side, game in self)

    @property
    def depth(self) -> float:
        """The player's mean depth."""
        return mean(game.depth[side] for side, game in self)


def mean(values: Iterable[float]) -> float:
    """Return the mean, and 0 for no values."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


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
        """Count a pair; return whether the aim is reached as soon as that is known. A verdict stays."""
        self.sum += points * self.win + (1 - points) * self.loss
        if self.verdict is None and abs(self.sum) >= -log(ERROR):
            self.verdict = self.sum > 0
        return self.verdict


def nowhere(results: Results) -> Collection[str]:
    """Return no setups: none is counted apart."""
    return ()


@dataclass(frozen=True)
class Series:
    """Games of a player against an opponent, start by start, the player with each of `sides`.

    With `least` it ends after at least this many starts, once all `aims` are decided; without, everything is played.
    Starts on setups that are `apart` are played, but the aims do not count them.
    """

    conditions: Conditions
    player: str
    opponent: str
    starts: tuple[Start, ...]
    aims: tuple[Aim, ...] = ()
    least: int | None = None
    sides: tuple[int, ...] = BOTH
    apart: Callable[[Results], Collection[str]] = nowhere

    @cached_property
    def games(self) -> dict[Start, dict[int, GameTask]]:
        """The games at each start, by the player's side."""
        pairs = {start: self.conditions.pair(self.player, self.opponent, start) for start in self.starts}
        return {start: {side: pair[side] for side in self.sides} for start, pair in pairs.items()}

    def tasks(self) -> list[Task]:
        """Return all games, start by start."""
        return [task for start in self.starts for task in self.games[start].values()]

    def found(self, start: Start, results: Results) -> dict[int, GameResult] | None:
        """Return the results at a start, if all its games have been played."""
        found = {side: results.get(task) for side, task in self.games[start].items()}
        done = {side: game for side, game in found.items() if isinstance(game, GameResult)}
        return done if len(done) == len(found) else None

    def stop(self, results: Results) -> int | None:
        """Return after how many starts all aims are decided, in the order of the starts, not of the results."""
        if self.least is None or not self.aims:
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

    def played(self, results: Results) -> PlayedPairs:
        """Return the games that count, up to where the series ended."""
        wanted = self.stop(results) or len(self.starts)
        found = {start: self.found(start, results) for start in self.starts[:wanted]}
        return PlayedPairs({start: games for start, games in found.items() if games is not None}, wanted)

    def score(self, aim: Aim, results: Results, *, apart: bool = False) -> Score:
        """Return the score towards an aim; with `apart`, on the setups that do not count."""
        return score(self.points(aim, results, apart=apart))

    def points(self, aim: Aim, results: Results, *, apart: bool = False) -> list[float]:
        """Return the points of each pair towards an aim."""
        setups = self.apart(results)
        games = self.played(results).pairs.items()
        return [aim.points(pair) for start, pair in games if (start.setup in setups) == apart]


class WantedTasks:
    """The tasks that are still wanted while results come in: not those of series that have ended."""

    def __init__(self, series: Sequence[Series], results: Results) -> None:
        self.results = results
        self.places: dict[Task, list[tuple[Series, int]]] = {}
        for one in series:
            for number, start in enumerate(one.starts):
                for task in one.games[start].values():
                    self.places.setdefault(task, []).append((one, number))

    def wants(self, task: Task) -> bool:
        """Return whether some series has not ended before this game."""
        if task not in self.places:
            return True
        stops = ((series.stop(self.results), number) for series, number in self.places[task])
        return any(stop is None or number < stop for stop, number in stops)
