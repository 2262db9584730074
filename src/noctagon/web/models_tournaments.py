"""The shapes of the API about tournaments."""

from __future__ import annotations

from pydantic import BaseModel

from noctagon.web.models import View


class Listed(BaseModel):
    name: str
    game: str
    format: str
    players: int
    date: str
    played: int
    expected: int
    playing: bool
    leader: str
    trouble: str


class Score(BaseModel):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    games: int


class Row(BaseModel):
    """`sides` are the scores moving first and second; Elo is missing where there is none."""

    place: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    tie_breaks: list[float]
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
    sides: list[Score | None]


class Plan(BaseModel):
    name: str
    game: str
    title: str
    format: str
    players: int
    maps: list[str]
    time: float | None
    date: str


class Progress(BaseModel):
    """`playing` while games keep coming; `left` in seconds."""

    played: int
    expected: int
    playing: bool
    per_minute: float | None
    left: float | None


class FinishedGame(BaseModel):
    """`id` is its number in the store: `GET /records/{id}`."""

    id: int
    players: tuple[str, str]
    setup: str
    round: int
    winner: int | None
    text: str
    plies: int
    seconds: float
    date: str


class LastBoard(BaseModel):
    game: FinishedGame
    view: View


class RunningBoard(BaseModel):
    slot: str
    players: tuple[str, str]
    setup: str
    view: View


class Tournament(BaseModel):
    """`cells` are row, column, points, games; `by_map` has the scores of the rows on each map."""

    plan: Plan
    sides: tuple[str, str]
    progress: Progress
    tie_breaks: list[str]
    rows: list[Row]
    cells: list[tuple[int, int, float, int]] | None
    by_map: list[tuple[str, list[Score | None]]]
    games: list[FinishedGame]
    rules: list[str]
