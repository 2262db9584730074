"""Games to choose from, positions, turns in the making, and analyses."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from noctagon.core.board import View
from noctagon.web.messages.common import (
    ArrowRow,
    Change,
    Coordinate,
    Count,
    Name,
    PositionString,
    RequestMessage,
    ResultView,
    RulesRequest,
    Spec,
)


class SetupInfo(msgspec.Struct, frozen=True):
    """A setup by name, with a sentence about it."""

    name: str
    about: str


class PlayerInfo(msgspec.Struct, frozen=True):
    """A player by name, with a sentence about it and the defaults of its options."""

    name: str
    about: str
    options: dict[str, str | int | float | bool]


class GameInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A game with all that can be chosen in it."""

    name: str
    title: str
    about: str
    sides: tuple[str, str]
    abilities: dict[str, bool]
    turn_seconds: float | None
    game_seconds: float | None
    rule_sets: list[str]
    rule_options: list[str]
    setups: list[SetupInfo]
    players: list[PlayerInfo]
    evaluations: list[str]
    how_to_play: list[str]
    notation: str
    demo: tuple[str, str]


class SetupView(msgspec.Struct, frozen=True):
    """The first position of a setup, as a board and as text."""

    view: View
    position: str


class PositionText(msgspec.Struct, frozen=True):
    """A position as the API takes it."""

    position: str


class PositionRequest(RequestMessage, frozen=True, kw_only=True):
    """A position of a game under some rules."""

    game: Name
    position: PositionString
    rules: RulesRequest = None


class ActionView(msgspec.Struct, frozen=True):
    """A legal action with its arrows, its kind, and its effect in words.

    `changes` has the content of each changed cell afterwards, or is null if chance decides it.
    """

    action: str
    arrows: list[ArrowRow]
    text: str
    kind: str
    changes: list[Change] | None


class PositionView(msgspec.Struct, frozen=True, kw_only=True):
    """A position as a board. The legal actions are listed if they are few."""

    view: View
    position: str
    mover: int
    result: ResultView | None
    actions: list[ActionView] | None


class MoveRow(NamedTuple):
    """A move of a turn in the making: from a cell, how many creatures, to a cell."""

    x: Coordinate
    y: Coordinate
    amount: Count
    tx: Coordinate
    ty: Coordinate


class CellRow(NamedTuple):
    """A cell."""

    x: Coordinate
    y: Coordinate


class LeftRow(NamedTuple):
    """A cell and the number of creatures on it that have not moved."""

    x: int
    y: int
    amount: int


class UnfinishedTurn(PositionRequest, frozen=True, kw_only=True):
    """A turn in the making. `source` asks for the targets of a cell, for `count` of its creatures."""

    moves: Annotated[list[MoveRow], Meta(max_length=200)] = []
    source: CellRow | None = None
    count: Count | None = None


class EncounterView(msgspec.Struct, frozen=True):
    """The attackers and defenders that meet on a cell, and the mover's odds of holding it."""

    attackers: int
    defenders: int
    kind: str
    odds: float
    text: str


class TargetView(msgspec.Struct, frozen=True):
    """A cell that the chosen creatures may enter: how many of them, and what will happen there."""

    x: int
    y: int
    room: int
    meeting: EncounterView


class MeetingAt(msgspec.Struct, frozen=True):
    """A meeting on a target of the turn so far."""

    x: int
    y: int
    meeting: EncounterView


class TurnSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a turn in the making: its legality as it is, and how it can go on."""

    legal: bool
    error: str | None = None
    left: list[LeftRow] = []
    sources: list[CellRow] = []
    targets: list[TargetView] = []
    meetings: list[MeetingAt] = []
    action: str = ""


class AnalysisRequest(PositionRequest, frozen=True, kw_only=True):
    """An analysis of a position: its time in seconds, and how many actions it ranks.

    The game's champion searches unless another player is named.
    """

    time: Annotated[float, Meta(ge=0.05, le=3600)] = 5.0
    lines: Annotated[int, Meta(ge=1, le=20)] = 3
    player: Spec | None = None


class AnalysisCreated(msgspec.Struct, frozen=True):
    """An analysis that begins when its socket is opened."""

    id: str
    player: str


class AnalysedLine(msgspec.Struct, frozen=True, kw_only=True):
    """An action and what follows. `score` is the mover's; `chance` is its chance to win, if the score tells it."""

    action: str
    score: float | None
    chance: float | None
    text: str
    depth: int
    line: tuple[str, ...]
    arrows: list[list[ArrowRow]]
    reasons: dict[str, float]


class AnalysisUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The best actions found so far. `done` is true in an analysis's last message."""

    depth: int
    nodes: int
    seconds: float
    lines: list[AnalysedLine]
    done: bool


class QueuePlace(msgspec.Struct, frozen=True):
    """The number of analyses that run before this one."""

    queue: int
