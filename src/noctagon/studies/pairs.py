"""Paired games: the same start and the same seed twice, with the sides swapped; and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from noctagon.arena.starts import Start
from noctagon.arena.statistics import Score, score
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import find_player
from noctagon.players.options import option_defaults
from noctagon.studies.tasks import GameResult, GameTask, Result, Task


class Conditions(NamedTuple):
    """How the games of a study are played: on which setups, from which openings, with which clock."""

    game: str
    setups: tuple[str, ...]
    seconds: float
    """The referee's clock for a turn."""
    plies: int
    think: float
    """What a player that takes a `time` is given of it, unless its spec says otherwise."""
    opening: int
    """So many quiet steps drawn by chance, in every pair on a setup but the first."""
    generator: str = ""
    from_setup: bool = True
    """Whether the first pair on a setup begins at the setup itself."""
    most: float = float("inf")
    """No player is given more time than this, whatever its spec says."""
    calm: int = 0
    """No opening leaves a side a forced win within so many plies."""

    def starts(self, games: int) -> list[Start]:
        """Where `games` games in pairs begin: as often on every setup, so perhaps a few more."""
        rounds = -(-games // (2 * len(self.setups)))
        return [self.start(setup, number) for number in range(rounds) for setup in self.setups]

    def mixed_starts(self, pairs: int) -> list[Start]:
        """Where `pairs` pairs begin: every setup once, in an order drawn by chance, then all of them again."""
        starts: list[Start] = []
        number = 0
        while len(starts) < pairs:
            setups = Random(number).sample(self.setups, len(self.setups))
            starts += [self.start(setup, number) for setup in setups]
            number += 1
        return starts[:pairs]

    def start(self, setup: str, number: int) -> Start:
        """The start of a setup's pair with this number, from 0."""
        number += not self.from_setup
        return Start(setup, number, self.opening, self.generator, self.calm) if number else Start(setup)

    def timed(self, player: str) -> str:
        """A player's spec with its time, where it takes one.

        >>> Conditions("vampires", ("duel",), 2.0, 80, 0.03, 0).timed("alphabeta:depth=2")
        'alphabeta:depth=2,time=0.03'
        """
        spec = PlayerSpec.parse(player)
        game = find_game(self.game)
        if spec.path or spec.command or "time" not in option_defaults(find_player(spec.name, game)):
            return player
        time = min(float(spec.options.get("time", self.think)), self.most)
        return str(PlayerSpec(spec.name, {**spec.options, "time": f"{time:g}"}))

    def game_task(self, first: str, second: str, start: Start) -> GameTask:
        players = (self.timed(first), self.timed(second))
        return GameTask(self.game, players, start, self.seconds, self.plies)

    def pair(self, player: str, opponent: str, start: Start) -> tuple[GameTask, GameTask]:
        """Both games of a pair."""
        return self.game_task(player, opponent, start), self.game_task(opponent, player, start)


class Played(NamedTuple):
    """The games of a player against an opponent, by pair: the one it began, and the one the opponent began."""

    player: str
    opponent: str
    pairs: dict[Start, tuple[GameResult, GameResult]]
    wanted: int

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    def pair_scores(self, setup: str | None = None) -> list[float]:
        """The player's score in each pair, on all setups or on one."""
        return [
            (one.points(0) + other.points(1)) / 2
            for start, (one, other) in self.pairs.items()
            if setup in (None, start.setup)
        ]

    @property
    def score(self) -> Score:
        """The player's score over all pairs."""
        return score(self.pair_scores())

    def by_setup(self) -> dict[str, Score]:
        """The player's score on each setup."""
        setups = dict.fromkeys(start.setup for start in self.pairs)
        return {setup: score(self.pair_scores(setup)) for setup in setups}

    def seated(self, side: int) -> float:
        """The player's share of the points in the games in which it had this side."""
        points = [pair[side].points(side) for pair in self.pairs.values()]
        return sum(points) / len(points) if points else 0.0

    @property
    def different(self) -> int:
        """How many of the games are not a repetition of another."""
        return len({(start.setup, one.moves) for start, pair in self.pairs.items() for one in pair})

    @property
    def draws(self) -> int:
        return sum(result.winner is None for pair in self.pairs.values() for result in pair)

    @property
    def plies(self) -> float:
        """How long the games were on average."""
        turns = [sum(result.turns) for pair in self.pairs.values() for result in pair]
        return sum(turns) / len(turns) if turns else 0.0

    @property
    def groups(self) -> float:
        """The most pieces of the player at once, on average over the games."""
        most = [pair[side].pieces[side] for pair in self.pairs.values() for side in (0, 1)]
        return sum(most) / len(most) if most else 0.0

    @property
    def depth(self) -> float:
        """How deep the player looked on average."""
        depths = [pair[side].depth[side] for pair in self.pairs.values() for side in (0, 1)]
        return sum(depths) / len(depths) if depths else 0.0


def together(*series: Played) -> Score:
    """The score over several series of games."""
    return score([pair for played in series for pair in played.pair_scores()])


def collect(
    conditions: Conditions,
    player: str,
    opponent: str,
    starts: Sequence[Start],
    results: Mapping[Task, Result],
) -> Played:
    """The pairs of two players of which both games have been played."""
    pairs = {}
    for start in starts:
        one, other = (results.get(task) for task in conditions.pair(player, opponent, start))
        if isinstance(one, GameResult) and isinstance(other, GameResult):
            pairs[start] = (one, other)
    return Played(player, opponent, pairs, len(starts))
