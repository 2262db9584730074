"""The pieces of work a study is made of: one game, one search, one turn; plain data that can be done anywhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from zlib import crc32

import msgspec

from noctagon.arena.starts import Start
from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.player import GameStart, PlayerSpec, Thought
from noctagon.core.registry import find_game
from noctagon.core.seat import drive
from noctagon.players import FOR_EVERY_GAME, make_player
from noctagon.processes.seats import open_seats
from noctagon.search.tree import Budget


class GameTask(msgspec.Struct, frozen=True, tag="game"):
    """One game between two players, the first mover first; the start's number is the seed of its chances."""

    game: str
    players: tuple[str, str]
    start: Start
    seconds: float
    plies: int

    @property
    def threaded(self) -> bool:
        """Whether a player searches with several threads."""
        return any(int(PlayerSpec.parse(spec).options.get("threads", 1)) > 1 for spec in self.players)

    def perform(self) -> GameResult:
        game = find_game(self.game)
        game.load()
        state = self.start.state(game, game.make_rules(plies=self.plies))
        specs = (PlayerSpec.parse(self.players[0]), PlayerSpec.parse(self.players[1]))
        match = Match(
            game,
            state,
            setup=self.start.setup,
            players=self.players,
            time=TimeControl(turn=self.seconds),
            seed=self.start.number,
        )

        async def play() -> None:
            async with open_seats(specs, game) as seats:
                await drive(match, seats)

        asyncio.run(play())
        assert match.result is not None
        turns = [[turn for turn in match.turns if turn.side == side] for side in (0, 1)]
        thoughts = [[turn.thought or Thought() for turn in taken] for taken in turns]
        views = [after.view() for after in match.states]
        return GameResult(
            winner=match.result.winner,
            reason=match.result.reason,
            turns=(len(turns[0]), len(turns[1])),
            late=(match.late[0], match.late[1]),
            illegal=(match.illegal[0], match.illegal[1]),
            longest=_both(lambda side: max((turn.seconds for turn in turns[side]), default=0.0)),
            depth=_both(lambda side: _mean([thought.depth for thought in thoughts[side]])),
            nodes=_both(lambda side: _mean([thought.nodes for thought in thoughts[side]])),
            pieces=_both(
                lambda side: float(max(sum(piece.side == side for piece in view.pieces) for view in views))
            ),
            moves=f"{crc32(' '.join(turn.action for turn in match.turns).encode()):08x}",
        )


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True, tag="game"):
    """How a game went: the winner, why, and for each side its turns, faults, longest turn, average depth and nodes."""

    winner: int | None
    reason: str
    turns: tuple[int, int]
    late: tuple[int, int] = (0, 0)
    illegal: tuple[int, int] = (0, 0)
    longest: tuple[float, float] = (0.0, 0.0)
    depth: tuple[float, float] = (0.0, 0.0)
    nodes: tuple[float, float] = (0.0, 0.0)
    pieces: tuple[float, float] = (0.0, 0.0)
    """The most pieces (groups, units) a side had on the board at once."""
    moves: str = ""
    """A checksum of all that was played, to tell whether two games are the same."""

    def points(self, side: int) -> float:
        """1 for a win, ½ for a draw."""
        return 0.5 if self.winner is None else float(self.winner == side)


class SearchTask(msgspec.Struct, frozen=True, tag="search"):
    """One search of a tree player to a fixed depth, given up after `nodes` nodes.

    With `generic` it is the player for every game, also where the game has one of its own by that name.
    """

    game: str
    player: str
    start: Start
    depth: int
    nodes: int
    generic: bool = False

    def perform(self) -> SearchResult:
        game = find_game(self.game)
        game.load()
        state = self.start.state(game)
        spec = PlayerSpec.parse(self.player)
        player = make_player(spec, game, generic_player(spec.name) if self.generic else None)
        player.start(GameStart(state), state.side)
        player.search(state, Budget(nodes=self.nodes)).search(state, 1)  # whatever is imported late is now
        search = player.search(state, Budget(nodes=self.nodes))
        clock = Clock()
        try:
            value = search.search(state, self.depth).value
        except NoctagonError:  # the budget ended
            return SearchResult(finished=False, nodes=search.tally.nodes, seconds=_rounded(clock.elapsed()))
        tally = search.tally
        return SearchResult(
            finished=True,
            nodes=tally.nodes,
            expanded=tally.expanded,
            cuts=tally.cuts,
            leaves=sum(tally.evaluations.values()),
            seconds=_rounded(clock.elapsed()),
            value=round(value, 6),
        )


class SearchResult(msgspec.Struct, frozen=True, omit_defaults=True, tag="search"):
    """What a search took: positions below the root, those expanded, cuts, positions it ended at, seconds."""

    finished: bool
    nodes: int
    seconds: float
    expanded: int = 0
    cuts: int = 0
    leaves: int = 0
    value: float = 0.0


class TurnTask(msgspec.Struct, frozen=True, tag="turn"):
    """One turn of a player, given up after so many seconds; `depth` is how deep it should get."""

    game: str
    player: str
    start: Start
    depth: int
    seconds: float

    def perform(self) -> TurnResult:
        game = find_game(self.game)
        game.load()
        state = self.start.state(game)
        player = make_player(PlayerSpec.parse(self.player), game)
        player.start(GameStart(state, TimeControl(turn=self.seconds)), state.side)
        player.choose(state, Clock(0.01))  # whatever is imported late is now
        started = time.perf_counter()
        decision = player.choose(state, Clock(self.seconds))
        seconds = time.perf_counter() - started
        state.check(decision.action)
        thought = decision.thought
        return TurnResult(
            finished=thought.depth >= self.depth and seconds < self.seconds,
            seconds=_rounded(seconds),
            depth=thought.depth,
            nodes=thought.nodes,
        )


class TurnResult(msgspec.Struct, frozen=True, omit_defaults=True, tag="turn"):
    """How long a turn took, and how deep it got."""

    finished: bool
    seconds: float
    depth: int = 0
    nodes: int = 0


class SituationTask(msgspec.Struct, frozen=True, tag="situations"):
    """Which of the specified situations of Vampires vs Werewolves a player meets, with so long for a turn."""

    player: str
    seconds: float

    def perform(self) -> SituationResult:
        from noctagon.games.vampires.players.situations import situations_met

        game = find_game("vampires")
        game.load()
        return SituationResult(met=situations_met(self.player, game, seconds=self.seconds))


class SituationResult(msgspec.Struct, frozen=True, tag="situations"):
    """The situations by name, and whether each is met."""

    met: dict[str, bool]


def generic_player(name: str) -> Callable[..., Any]:
    """The class of a player for every game."""
    module, _, attribute = FOR_EVERY_GAME[name].partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


Task = GameTask | SearchTask | TurnTask | SituationTask
Result = GameResult | SearchResult | TurnResult | SituationResult


def perform(task: Task) -> Result:
    """Do a piece of work: what a worker process is asked for."""
    return task.perform()


def _both(value: Any) -> tuple[float, float]:
    return _rounded(value(0)), _rounded(value(1))


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rounded(value: float) -> float:
    """Four digits are enough, and keep the file small."""
    return float(f"{value:.4g}")
