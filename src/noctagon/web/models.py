"""The shapes of the API, for its border and its documentation; inside, the same things are msgspec structures."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[int, Field(ge=0, le=10**9)]
Coordinate = Annotated[int, Field(ge=0, le=254)]
SideNumber = Annotated[int, Field(ge=0, le=1)]
Spec = Annotated[str, Field(min_length=1, max_length=300)]
Key = Annotated[str, Field(max_length=100)]
Position = Annotated[str, Field(min_length=1, max_length=100_000)]
Name = Annotated[str, Field(min_length=1, max_length=60)]
Arrow = tuple[int, int, int, int, str]
Change = tuple[int, int, str | None, int | None, int, str]


class Asked(BaseModel):
    """A request: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    error: str


class Done(BaseModel):
    ok: bool = True


class Piece(BaseModel):
    x: int
    y: int
    kind: str
    side: int | None
    count: int
    label: str


class View(BaseModel):
    game: str
    rows: int
    columns: int
    pieces: list[Piece]
    sides: tuple[str, str]
    side: int
    ply: int
    limit: int
    score: tuple[float, float]
    result: str
    row_labels: list[str]
    column_labels: list[str]


class Result(BaseModel):
    winner: int | None
    reason: str
    detail: str
    text: str


class Battle(BaseModel):
    x: int | None
    y: int | None
    text: str
    odds: float
    won: bool
    detail: str


class Thought(BaseModel):
    depth: int
    nodes: int
    score: float | None
    line: list[str]
    arrows: list[list[Arrow]]
    text: str = ""
    note: str = ""
    seconds: float = 0.0


class Thinking(BaseModel):
    """What a player thinks while it does; it is told a few times at most."""

    side: int
    depth: int
    nodes: int
    score: float | None
    text: str
    line: list[str]
    arrows: list[list[Arrow]]


class Frame(BaseModel):
    """One turn. `changes` says what stands on each changed cell afterwards: x, y, kind, side, count, label."""

    n: int
    side: int
    action: str
    changes: list[Change]
    arrows: list[Arrow]
    battles: list[Battle]
    score: tuple[float, float]
    mover: int
    seconds: float
    skipped: str | None = None
    thought: Thought | None = None
    result: Result | None = None


class Clock(BaseModel):
    side: int | None
    seconds: float | None
    elapsed: float


class TableState(BaseModel):
    paused: bool
    pace: float
    waiting: int | None
    clock: Clock
    spectators: int


class Snapshot(BaseModel):
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
    frames: list[Frame]
    paused: bool
    pace: float
    waiting: int | None
    humans: tuple[bool, bool]
    clock: Clock
    spectators: int
    seed: int
    date: str
    result: Result | None


class LiveMessage(BaseModel):
    """A message of a live game: exactly one of these is there. `rewound` says how many turns are left."""

    snapshot: Snapshot | None = None
    frame: Frame | None = None
    rewound: int | None = None
    state: TableState | None = None
    thinking: Thinking | None = None
    end: Result | None = None


class TableLine(BaseModel):
    id: str
    game: str
    setup: str
    players: tuple[str, str]
    sides: tuple[str, str]
    ply: int
    score: tuple[float, float]
    result: Result | None
    live: bool
    origin: str
    spectators: int


class NewTable(Asked):
    """`human` as a player is somebody at a browser; `pace` is the least time between turns of our players."""

    game: Name
    players: Annotated[list[Spec], Field(min_length=2, max_length=2)]
    setup: Name | None = None
    position: Position | None = None
    rules: Name | None = None
    plies: Annotated[int, Field(ge=1, le=100_000)] | None = None
    majority: bool | None = None
    time: Annotated[float, Field(ge=0.05, le=60, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 0.0
    paused: bool = False


class TableMade(BaseModel):
    """`keys` has a key for each person's side, `key` is the maker's own: it stops the table."""

    id: str
    keys: dict[str, str]
    key: str


class TableId(BaseModel):
    id: str
    game: str


class PositionText(BaseModel):
    """A position as the API takes it."""

    position: str


class TurnAsked(Asked):
    side: SideNumber
    key: Key
    action: Annotated[str, Field(min_length=1, max_length=20_000)]


class SideAsked(Asked):
    side: SideNumber
    key: Key


class SteerAsked(Asked):
    """`key` is the maker's or a person's; the browser that made the table is known without it."""

    key: Key | None = None


class PaceAsked(SteerAsked):
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)]


class Setup(BaseModel):
    name: str
    about: str


class Player(BaseModel):
    name: str
    about: str
    options: dict[str, Any]


class Abilities(BaseModel):
    random: bool
    enumerable: bool
    skip: bool
    wire: bool
    compiled: bool


class Game(BaseModel):
    name: str
    title: str
    about: str
    sides: tuple[str, str]
    abilities: Abilities
    turn_seconds: float | None
    game_seconds: float | None
    rule_sets: list[str]
    rule_options: list[str]
    setups: list[Setup]
    players: list[Player]
    evaluations: list[str]
    how_to_play: list[str]
    notation: str
    demo: tuple[str, str]


class SetupSeen(BaseModel):
    view: View
    position: str


class PositionAsked(Asked):
    """`rules` is the name of a rule set, or all of the rules as a snapshot has them."""

    game: Name
    position: Position
    rules: Name | Annotated[dict[str, Any], Field(max_length=20)] | None = None


class Action(BaseModel):
    """`changes` is what stands on each changed cell afterwards, where chance has no say in it."""

    action: str
    arrows: list[Arrow]
    text: str
    kind: str
    changes: list[Change] | None


class PositionSeen(BaseModel):
    """`actions` are listed where there are few of them."""

    view: View
    position: str
    mover: int
    result: Result | None
    actions: list[Action] | None


class TurnSoFarAsked(PositionAsked):
    """`moves` are x, y, count, target x, target y; with `source` its targets are told, for `count` of its creatures."""

    moves: Annotated[
        list[tuple[Coordinate, Coordinate, Number, Coordinate, Coordinate]], Field(max_length=200)
    ] = []
    source: tuple[Coordinate, Coordinate] | None = None
    count: Number | None = None


class Meeting(BaseModel):
    attackers: int
    defenders: int
    kind: str
    odds: float
    text: str


class Target(BaseModel):
    x: int
    y: int
    room: int
    meeting: Meeting


class MeetingAt(BaseModel):
    x: int
    y: int
    meeting: Meeting


class TurnSoFar(BaseModel):
    legal: bool
    error: str | None
    left: list[tuple[int, int, int]]
    sources: list[tuple[int, int]]
    targets: list[Target]
    meetings: list[MeetingAt]
    action: str


class AnalysisAsked(PositionAsked):
    """Who searches is the game's champion unless another player is named."""

    time: Annotated[float, Field(ge=0.05, le=3600, allow_inf_nan=False)] = 5.0
    lines: Annotated[int, Field(ge=1, le=20)] = 3
    player: Spec | None = None


class AnalysisMade(BaseModel):
    id: str
    player: str


class Line(BaseModel):
    action: str
    score: float | None
    chance: float | None
    text: str
    depth: int
    line: list[str]
    arrows: list[list[Arrow]]
    reasons: dict[str, float]


class Analysis(BaseModel):
    """A message of an analysis."""

    depth: int
    nodes: int
    seconds: float
    lines: list[Line]
    done: bool


class AnalysisPlace(BaseModel):
    """While others are before it."""

    queue: int
