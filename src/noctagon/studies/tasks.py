"""The pieces of work that a study is made of: plain data that any process can perform; here, one game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from zlib import crc32

import msgspec

from noctagon.arena.bout import FAULTS
from noctagon.arena.faults import LONGEST_CAUSE
from noctagon.arena.starts import Start
from noctagon.core.clock import TimeControl
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec, Thought
from noctagon.core.registry import find_game
from noctagon.core.seat import drive
from noctagon.core.text import plain
from noctagon.processes.seats import open_seats


class TaskResult(msgspec.Struct, frozen=True):
    """The outcome of a piece of work."""


class Task(msgspec.Struct, frozen=True):
    """A piece of work; equal tasks are one, and are performed once."""

    def perform(self) -> TaskResult:
        """Do the work in this process."""
        raise NotImplementedError

    @property
    def threaded(self) -> bool:
        """True if it keeps several cores busy, so that nothing else should run beside it."""
        return False


class GameResult(TaskResult, frozen=True, omit_defaults=True, tag="game"):
    """A game's outcome, and for each side its turns, faults, longest turn, mean depth and mean nodes."""

    winner: int | None
    reason: str
    turns: tuple[int, int]
    late: tuple[int, int] = (0, 0)
    illegal: tuple[int, int] = (0, 0)
    longest: tuple[float, float] = (0.0, 0.0)
    depth: tuple[float, float] = (0.0, 0.0)
    nodes: tuple[float, float] = (0.0, 0.0)
    pieces: tuple[float, float] = (0.0, 0.0)
    """The most pieces (groups, units) of each side on the board at once."""
    moves: str = ""
    """A checksum of all moves, which tells whether two games are the same."""
    detail: str = ""
    """The cause of a game lost by a fault: an exception and its line, an exit code."""

    def is_fault(self, side: int) -> bool:
        """Return whether this side lost by something that is not on the board."""
        return self.reason in FAULTS and self.winner == 1 - side

    def points(self, side: int) -> float:
        """Return 1 for a win of this side, ½ for a draw, 0 for a loss."""
        return 0.5 if self.winner is None else float(self.winner == side)


class GameTask(Task, frozen=True, omit_defaults=True, tag="game"):
    """One game between two players, the first mover first; the start's number is the seed of its dice."""

    game: str
    players: tuple[str, str]
    start: Start
    seconds: float
    plies: int | None
    versions: tuple[str, ...] = ()
    """Checksums of the players' programs, where a player is a file or a command: an edited bot is another player."""

    @property
    def threaded(self) -> bool:
        """Return whether a player searches with several threads."""
        specs = [PlayerSpec.parse(player) for player in self.players]
        return any(not spec.command and int(spec.options.get("threads", 1)) > 1 for spec in specs)

    def perform(self) -> GameResult:
        """Play the game in this process."""
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
                lambda side: max(sum(piece.side == side for piece in view.pieces) for view in views)
            ),
            detail=_cause(match.result.detail) if match.result.reason in FAULTS else "",
            moves=f"{crc32(' '.join(turn.action for turn in match.turns).encode()):08x}",
        )


def perform(task: Task) -> TaskResult:
    """Do a piece of work: the function that a worker process is given."""
    return task.perform()


def rounded(value: float) -> float:
    """Round to four digits, which are enough and keep the file small."""
    return float(f"{value:.4g}")


def _cause(detail: str) -> str:
    """Return a stranger's words on one line, cut where they are long."""
    shown = " ".join(plain(detail).split())
    return shown if len(shown) <= LONGEST_CAUSE else f"{shown[: LONGEST_CAUSE - 1]}…"


def _both(value: Callable[[int], float]) -> tuple[float, float]:
    return rounded(value(0)), rounded(value(1))


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
