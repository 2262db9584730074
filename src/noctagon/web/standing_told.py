"""What the page is told of tournaments, as plain data."""

from __future__ import annotations

import msgspec

from noctagon.core.board import View


class GameTold(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game in a list."""

    id: int
    players: tuple[str, str]
    setup: str
    round: int
    winner: int | None
    text: str
    plies: int
    seconds: float
    date: str


class BoardTold(msgspec.Struct, frozen=True, kw_only=True):
    """The same with its last position."""

    game: GameTold
    view: View


class RunningTold(msgspec.Struct, frozen=True, kw_only=True):
    """A game in the middle, with its position."""

    slot: str
    players: tuple[str, str]
    setup: str
    view: View


class ScoreTold(msgspec.Struct, frozen=True):
    """A mean score with its 95 % interval, of so many games or pairs of games."""

    mean: float
    low: float
    high: float
    games: int


class RowTold(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table; no Elo without a game that counts. `sides` are the scores moving first and second."""

    place: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    tie_breaks: tuple[float, ...]
    bonus: float
    elo: float | None
    error: float | None
    played: int
    faults: int
    late: int
    illegal: int
    seconds_per_turn: float
    longest: float
    disqualified: str
    sides: list[ScoreTold | None]


class ProgressTold(msgspec.Struct, frozen=True, kw_only=True):
    """How far it is; `playing` while games keep coming, and then `left` are the seconds that it will still take."""

    played: int
    expected: int
    playing: bool
    per_minute: float | None
    left: float | None


class PlanTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is played, as its plan says it: names only, never a program's command."""

    name: str
    game: str
    title: str
    format: str
    players: int
    maps: list[str]
    time: float | None
    date: str


class TournamentTold(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament as it stands. `cells` are row, column, points, games; `by_map` has the scores of the rows."""

    plan: PlanTold
    sides: tuple[str, str]
    progress: ProgressTold
    tie_breaks: tuple[str, ...]
    rows: list[RowTold]
    cells: list[tuple[int, int, float, int]] | None
    by_map: list[tuple[str, list[ScoreTold | None]]]
    games: list[GameTold]
    rules: list[str]


class ListedTold(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in a list; `trouble` says why there is no more to tell."""

    name: str
    game: str
    format: str
    players: int
    date: str
    played: int
    expected: int
    playing: bool
    leader: str
    trouble: str = ""
