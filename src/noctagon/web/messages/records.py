"""Recorded games: lists of them, replays and evaluations."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from noctagon.core.game import Side
from noctagon.web.messages.common import ArrowRow, RequestMessage, ResultView
from noctagon.web.messages.tables import Snapshot

Mark = Literal["", "inaccuracy", "mistake", "blunder"]


class RecordLine(msgspec.Struct, frozen=True, kw_only=True):
    """A record in a list. `trouble` says what is wrong with it."""

    id: str
    game: str
    setup: str
    players: tuple[str, str]
    ply: int
    result: ResultView | None
    date: str
    tournament: str = ""
    trouble: str = ""


class RecordList(msgspec.Struct, frozen=True, kw_only=True):
    """The newest matching games, and the players and tournaments to choose from.

    `store` is false if the page keeps no games.
    """

    store: bool
    records: list[RecordLine]
    players: list[str]
    tournaments: list[str]


class UploadedRecords(msgspec.Struct, frozen=True, kw_only=True):
    """The records found in an upload. `trouble` says what could not be read."""

    replays: list[RecordLine]
    trouble: str


class ReplayView(Snapshot, frozen=True, kw_only=True):
    """A whole recorded game. `trouble` says what is missing of it."""

    trouble: str


class EvaluationRequest(RequestMessage, frozen=True, kw_only=True):
    """An evaluation of a game. `time` is the number of seconds for each position."""

    time: Annotated[float, Meta(ge=0.02, le=5)] = 0.2


class EvaluationStart(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of an evaluation: how many turns it has, and which player judges."""

    turns: int
    player: str


class EvaluatedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A position, and the turn that was played there.

    `n` is the number of turns played before. `chance` is the first side's chance to win in the position, `expected`
    its average after the turn; `loss` is what the turn cost the mover. `best`, `line` and `arrows` are what the
    champion would have done, `text` is its verdict on the position, to the mover.
    """

    n: int
    side: Side
    chance: float
    text: str = ""
    expected: float | None = None
    loss: float = 0.0
    mark: Mark = ""
    best: str = ""
    line: tuple[str, ...] = ()
    arrows: list[list[ArrowRow]] = []


class EvaluationEnd(msgspec.Struct, frozen=True):
    """The last line of an evaluation."""

    done: bool = True
