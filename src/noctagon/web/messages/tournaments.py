"""Tournaments of the store: standings, games and boards."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from noctagon.arena.formats import Diagram
from noctagon.core.board import View


class FinishedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game in a list. `id` is its number in the store: `GET /records/{id}`."""

    id: int
    players: tuple[str, str]
    setup: str
    round: int
    winner: int | None
    text: str
    plies: int
    seconds: float
    date: str


class LastBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game with its last position."""

    game: FinishedGame
    view: View


class RunningBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is being played, with its position."""

    slot: str
    players: tuple[str, str]
    setup: str
    view: View


class MeanScore(msgspec.Struct, frozen=True):
    """A mean score with its 95 % interval, over a number of games or pairs of games."""

    mean: float
    low: float
    high: float
    games: int


class StandingsRow(msgspec.Struct, frozen=True, kw_only=True):
    """A player's line of the table. `sides` are its scores moving first and second.

    `elo` and `error` are null without a game that counts.
    """

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
    sides: list[MeanScore | None]


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a tournament. `playing` is true while games keep coming; `left` is in seconds."""

    played: int
    expected: int
    playing: bool
    per_minute: float | None
    left: float | None


class PlanView(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a tournament: names only, never the command of a program."""

    name: str
    game: str
    title: str
    format: str
    """The format as the plan names it."""
    format_title: str
    """The format in words."""
    players: int
    maps: list[str]
    time: float | None
    date: str


class CrosstableCell(NamedTuple):
    """The points of one row's player against another's, and the number of their games."""

    row: int
    column: int
    points: float
    games: int


class MapScores(NamedTuple):
    """The scores of all rows on one map."""

    map: str
    scores: list[MeanScore | None]


class TournamentView(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament as it stands."""

    plan: PlanView
    sides: tuple[str, str]
    progress: Progress
    tie_breaks: tuple[str, ...]
    rows: list[StandingsRow]
    cells: list[CrosstableCell] | None
    by_map: list[MapScores]
    games: list[FinishedGame]
    rules: list[str]
    diagram: Diagram | None = None
    """The format's picture, such as a bracket."""


class TournamentLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in a list. `trouble` says why no more is known about it."""

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
