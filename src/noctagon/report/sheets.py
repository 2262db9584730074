"""Tables as CSV files for a spreadsheet, with a byte order mark and without anything that it would compute."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noctagon.arena.bout import Finished
from noctagon.report.markup import plain

if TYPE_CHECKING:
    from noctagon.arena.standings import Standings

Cell = str | int | float | None
FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%", "＝", "＋", "－", "＠")
"""Beginnings of a text that a spreadsheet may compute, or even run."""
LONGEST_CELL = 2000


def standings_sheet(standings: Standings, specs: dict[str, str]) -> Iterable[Sequence[Cell]]:
    """Return the ranking, one player a row."""
    yield [
        *("place", "player", "spec", "points", "bonus", "games", "wins", "draws", "losses"),
        *standings.tie_break_names,
        *("elo", "error", "late turns", "illegal turns", "faults", "seconds per turn", "longest turn"),
        "disqualified",
    ]
    for row in standings.rows:
        yield [
            *(row.place, row.name, specs.get(row.name, ""), row.points, row.bonus),
            *(row.games, row.wins, row.draws, row.losses),
            *row.tie_breaks,
            *(row.elo, row.error, row.late, row.illegal, row.faults, row.seconds_per_turn, row.longest),
            row.disqualified,
        ]


def crosstable_sheet(standings: Standings) -> Iterable[Sequence[Cell]]:
    """Return the points of each row's player against each column's; empty where they did not meet."""
    names = [row.name for row in standings.rows]
    yield ["place", "player", *names, "points", "games"]
    for row in standings.rows:
        cells = (standings.cells.get((row.name, name)) for name in names)
        points = [cell.points if cell is not None and cell.games else None for cell in cells]
        yield [row.place, row.name, *points, row.points, row.games]


def games_sheet(games: Iterable[Finished], counted: Sequence[Finished]) -> Iterable[Sequence[Cell]]:
    """Return every game, one a row; the last column says whether it counts for the ranking."""
    yield [
        *("slot", "key", "round", "game", "map", "first", "second", "first spec", "second spec"),
        *("winner", "points first", "points second", "reason", "detail", "plies"),
        *(
            "turns first",
            "turns second",
            "seconds first",
            "seconds second",
            "longest first",
            "longest second",
        ),
        *("late first", "late second", "illegal first", "illegal second"),
        *("lead changes", "swing", "seed", "date", "counts"),
    ]
    counts = {(game.slot, game.key) for game in counted}
    for game in games:
        yield [
            *(game.slot, game.key, game.round, game.game, game.setup, *game.players, *game.specs),
            "draw" if game.winner is None else game.players[game.winner],
            *(game.points(0), game.points(1), game.reason, game.detail, game.plies),
            *(*game.turns, *game.seconds, *game.longest, *game.late, *game.illegal),
            *(game.lead_changes, game.swing, game.seed, game.date),
            "yes" if (game.slot, game.key) in counts else "no",
        ]


def write_sheet(path: Path, rows: Iterable[Sequence[Cell]]) -> Path:
    """Write a table; an old file stays until the new one is complete."""
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8-sig", newline="", errors="replace") as file:
        writer = csv.writer(file)
        for row in rows:
            writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    part.replace(path)
    return path


def harmless(text: str) -> str:
    """Return a text on one line that no spreadsheet takes for a formula."""
    if not text:
        return ""
    if not text.isprintable() or text[0] == " " or len(text) > LONGEST_CELL:  # a few in a million
        text = plain(text, LONGEST_CELL)
    return f"'{text}" if text.startswith(FORMULA) else text
