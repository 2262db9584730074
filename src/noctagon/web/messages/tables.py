"""Games that are played on the page: the first position whole, then one small message a turn."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from noctagon.core.board import View
from noctagon.web.messages.common import (
    ArrowRow,
    Change,
    Key,
    Name,
    Pace,
    PlyLimit,
    PositionString,
    RequestMessage,
    ResultView,
    Seed,
    SideNumber,
    Spec,
)


class BattleView(msgspec.Struct, frozen=True):
    """A fight, decided by chance or not: where, who against whom, the mover's odds, and the outcome.

    The coordinates are null in a game without cells.
    """

    x: int | None
    y: int | None
    text: str
    odds: float
    won: bool
    detail: str


class ThoughtView(msgspec.Struct, frozen=True, omit_defaults=True):
    """The mover's thought. `score` is the mover's, `text` is the score in words.

    `arrows` is the expected line, a list of arrows for each ply.
    """

    depth: int
    nodes: int
    score: float | None
    line: tuple[str, ...]
    arrows: list[list[ArrowRow]]
    text: str = ""
    note: str = ""
    seconds: float = 0.0


class TurnFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn: what changed on the board, and all there is to show about it. `n` counts turns from 1."""

    n: int
    side: int
    action: str
    changes: list[Change]
    arrows: list[ArrowRow]
    battles: list[BattleView]
    score: tuple[float, float]
    mover: int
    seconds: float
    skipped: str | None = None
    thought: ThoughtView | None = None
    result: ResultView | None = None


class Thinking(msgspec.Struct, frozen=True):
    """A player's thought so far. `score` is its own, `arrows` its line, a list for each ply."""

    side: int
    depth: int
    nodes: int
    score: float | None
    text: str
    line: tuple[str, ...]
    arrows: list[list[ArrowRow]]


class ClockView(msgspec.Struct, frozen=True):
    """The side that is thinking, its time limit and the time it has taken, in seconds."""

    side: int | None
    seconds: float | None
    elapsed: float


class TableState(msgspec.Struct, frozen=True):
    """The state of a table apart from its board. `waiting` is the side whose turn is awaited.

    `preparing` says why a player cannot play yet; it is empty once both can.
    """

    paused: bool
    pace: float
    waiting: int | None
    clock: ClockView
    spectators: int
    preparing: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A whole game: the first position, and every turn since."""

    id: str
    game: str
    setup: str
    rules: dict[str, Any]
    players: tuple[str, str]
    sides: tuple[str, str]
    time: float | None
    origin: str
    live: bool
    view: View
    position: str
    frames: list[TurnFrame]
    paused: bool
    pace: float
    waiting: int | None
    humans: tuple[bool, bool]
    clock: ClockView
    spectators: int
    preparing: str
    seed: int
    date: str
    result: ResultView | None


class LiveMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message of a live game: exactly one field is present. `rewound` is the number of turns that are left."""

    snapshot: Snapshot | None = None
    frame: TurnFrame | None = None
    rewound: int | None = None
    state: TableState | None = None
    thinking: Thinking | None = None
    end: ResultView | None = None


class TableLine(msgspec.Struct, frozen=True, kw_only=True):
    """A game in a list of games."""

    id: str
    game: str
    setup: str
    players: tuple[str, str]
    sides: tuple[str, str]
    ply: int
    score: tuple[float, float]
    result: ResultView | None
    live: bool
    origin: str
    spectators: int


class TableCreated(msgspec.Struct, frozen=True, kw_only=True):
    """A new table. `keys` has a key for each person's side; `key` stops and steers the table."""

    id: str
    keys: dict[str, str]
    key: str


class TableFound(msgspec.Struct, frozen=True, kw_only=True):
    """The table at which a game can be watched."""

    id: str
    game: str


class NewTable(RequestMessage, frozen=True, kw_only=True):
    """A game to begin. The player `human` is a person at a browser; `pace` slows down turns between programs."""

    game: Name
    players: tuple[Spec, Spec]
    setup: Name | None = None
    position: PositionString | None = None
    rules: Name | None = None
    plies: PlyLimit | None = None
    majority: bool | None = None
    time: Annotated[float, Meta(ge=0.05, le=60)] | None = None
    seed: Seed | None = None
    pace: Pace = 0.0
    paused: bool = False


class TurnRequest(RequestMessage, frozen=True, kw_only=True):
    """A person's turn, as text."""

    side: SideNumber
    key: Key
    action: Annotated[str, Meta(min_length=1, max_length=20_000)]


class SideRequest(RequestMessage, frozen=True, kw_only=True):
    """Something that the person who plays a side asks for."""

    side: SideNumber
    key: Key


class SteerRequest(RequestMessage, frozen=True, kw_only=True):
    """The key of the table or of a person in the game; the browser that made the table needs none."""

    key: Key | None = None


class PaceRequest(SteerRequest, frozen=True, kw_only=True):
    """A new pace, with the same key."""

    pace: Pace
