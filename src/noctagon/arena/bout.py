"""One game of many: what is to be played, as plain data that any process can play, and its outcome."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from noctagon.arena.versions import version_of
from noctagon.core.clock import TimeControl
from noctagon.core.game import Game, NoctagonError, Result, State
from noctagon.core.limits import Limits
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.record import Record, TurnRecord
from noctagon.core.registry import find_game
from noctagon.core.seat import Listener, drive, logs_of
from noctagon.processes.seats import open_seats

FAULTS = frozenset({"crash", "disconnected", "garbage", "malformed packet", "illegal turn", "time"})
"""Reasons of results that are not decided on the board."""
UNFINISHED = "unfinished"
"""Reason of a game without a result: it was broken off, or its record is incomplete."""
LARGEST = 2**63 - 1
"""Largest number that a column of a database holds."""


class Entrant(msgspec.Struct, frozen=True):
    """A player of a tournament: its name, spec, version, and the limits of its program."""

    name: str
    spec: str
    version: str = ""
    limits: Limits = Limits()

    def check_program(self) -> None:
        """Raise `NoctagonError` if the program has changed since it was entered."""
        spec = PlayerSpec.parse(self.spec)
        if (spec.path or spec.command) and self.version and version_of(spec) != self.version:
            raise NoctagonError(
                f"{self.name} is not the program any more that was entered: the files of {self.spec} have changed, "
                f"or are others on this machine"
            )


class Bout(msgspec.Struct, frozen=True, kw_only=True):
    """A game to be played, complete in itself, the first mover first; `slot` names it in its tournament."""

    slot: str
    round: int
    game: str
    entrants: tuple[Entrant, Entrant]
    setup: str
    position: str
    rules: dict[str, Any]
    time: TimeControl
    seed: int

    def __str__(self) -> str:
        return f"game {self.slot}"

    @property
    def threads(self) -> int:
        """Cores it keeps busy: the players take turns, so the larger number of the two."""
        return max(threads_of(entrant.spec) for entrant in self.entrants)

    @property
    def key(self) -> str:
        """Checksum of all that the result depends on: a bout with another key is another game."""
        from hashlib import sha256

        return sha256(msgspec.json.encode(self, order="sorted")).hexdigest()[:16]

    def play(self, listen: Listener = lambda event: None) -> Finished:
        """Play the game in this process; raise `NoctagonError` if a player's program has changed."""
        for entrant in self.entrants:
            entrant.check_program()
        game = find_game(self.game)
        game.load()
        state = game.parse_position(self.position, msgspec.convert(self.rules, type(game.make_rules())))
        match = Match(
            game,
            state,
            setup=self.setup,
            players=(self.entrants[0].spec, self.entrants[1].spec),
            time=self.time,
            seed=self.seed,
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        logs = asyncio.run(self._drive(match, game, listen))
        names = (self.entrants[0].name, self.entrants[1].name)
        record = match.record()
        if names != record.players:
            record = msgspec.structs.replace(record, names=names)
        return msgspec.structs.replace(
            finished_game(record, match.states),
            slot=self.slot,
            key=self.key,
            round=self.round,
            versions=(self.entrants[0].version, self.entrants[1].version),
            logs=logs,
        )

    async def _drive(self, match: Match, game: Game[Any], listen: Listener) -> tuple[str, str]:
        """Play the match out between new seats; return the logs for the authors of players that failed."""
        specs = (PlayerSpec.parse(self.entrants[0].spec), PlayerSpec.parse(self.entrants[1].spec))
        limits = (self.entrants[0].limits, self.entrants[1].limits)
        async with open_seats(specs, game, limits, forfeit=True) as seats:
            await drive(match, seats, listen)
            return logs_of(match, seats)


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has been played: what the store keeps beside the record, and all tables are made from."""

    slot: str
    key: str
    round: int
    game: str
    setup: str
    players: tuple[str, str]
    """The entrants' names, the first mover first."""
    specs: tuple[str, str]
    versions: tuple[str, str]
    seed: int
    winner: int | None
    reason: str
    detail: str
    plies: int
    turns: tuple[int, int]
    seconds: tuple[float, float]
    """Seconds that each side thought, all turns together."""
    longest: tuple[float, float]
    late: tuple[int, int]
    illegal: tuple[int, int]
    lead_changes: int
    swing: float
    """Sum of the changes of the first side's share of the score; large in a lively game."""
    logs: tuple[str, str]
    """Logs for the authors of players that crashed, were late or played illegal turns."""
    date: str
    record: bytes = b""
    """The record's bytes; the store keeps them in a table of their own, so that others need not read them."""

    def points(self, side: int) -> float:
        """Return 1 for a win of this side, ½ for a draw, 0 for a loss."""
        return 0.5 if self.winner is None else float(self.winner == side)

    @property
    def fault(self) -> int | None:
        """The side that lost by a crash, on time or by nonsense rather than on the board, if one did.

        Where a late answer only costs the turn, losing with more than half of the turns late is losing on time.
        """
        if self.winner is None:
            return None
        loser = 1 - self.winner
        return loser if self.reason in FAULTS or 2 * self.late[loser] > self.turns[loser] else None


def finished_game(record: Record, states: Sequence[State[Any]], raw: bytes | None = None) -> Finished:
    """Return what is kept of a game beside its record; `states` are its positions, as far as they are known.

    `raw` is the record as it came, where that was not from this process.
    """
    turns = [[turn for turn in record.turns if turn.side == side] for side in (0, 1)]
    result = record.result or Result(None, UNFINISHED)
    life = liveliness(states)
    return Finished(
        slot="",
        key="",
        round=0,
        game=record.game,
        setup=record.setup,
        players=record.called,
        specs=record.players,
        versions=("", ""),
        seed=record.seed,
        winner=result.winner,
        reason=result.reason,
        detail=result.detail,
        plies=len(record.turns),
        turns=(len(turns[0]), len(turns[1])),
        seconds=(sum(turn.seconds for turn in turns[0]), sum(turn.seconds for turn in turns[1])),
        longest=(_longest(turns[0]), _longest(turns[1])),
        late=(_storable(record.conduct[0].late), _storable(record.conduct[1].late)),
        illegal=(_storable(record.conduct[0].illegal), _storable(record.conduct[1].illegal)),
        lead_changes=life.lead_changes,
        swing=life.swing,
        logs=("", ""),
        date=record.date,
        record=record.to_json() if raw is None else raw.strip(),
    )


class Liveliness(NamedTuple):
    """Changes of the lead in a game, and how far the score swung in all."""

    lead_changes: int
    swing: float


def liveliness(states: Sequence[State[Any]]) -> Liveliness:
    """Count the changes of the lead, and sum up the changes of the first side's share of the score."""
    course = shares(states)
    leads = [share > 0.5 for share in course if share != 0.5]
    changes = sum(one != other for one, other in pairwise(leads))
    swing = sum(abs(one - other) for one, other in pairwise(course))
    return Liveliness(changes, round(swing, 4))


def shares(states: Sequence[State[Any]]) -> list[float]:
    """Return the first side's share of the score in each position; ½ where neither has any."""
    return [first / (first + second) if first + second else 0.5 for first, second in map(_score, states)]


def threads_of(spec: str) -> int:
    """Return how many threads a player searches with, as far as its spec says so."""
    try:
        return max(1, int(PlayerSpec.parse(spec).options.get("threads", 1)))
    except ValueError:  # making the player reports what is wrong with it
        return 1


def _score(state: State[Any]) -> tuple[float, float]:
    first, second = state.score()
    return max(first, 0.0), max(second, 0.0)


def _longest(turns: Sequence[TurnRecord]) -> float:
    return max((turn.seconds for turn in turns), default=0.0)


def _storable(count: int) -> int:
    """Return a count that a database's column holds, whatever the record says."""
    return max(0, min(count, LARGEST))
