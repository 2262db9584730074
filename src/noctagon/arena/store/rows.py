"""A finished game as a row of the store, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from noctagon.arena.bout import Finished
from noctagon.arena.store.schema import games, players, tournaments

PLAIN = ("slot", "key", "round", "game", "setup", "seed", "winner", "reason", "detail", "plies")
PAIRS = ("turns", "seconds", "longest", "late", "illegal", "log")
LAST = ("lead_changes", "swing", "date")

_sides = (players.alias("first"), players.alias("second"))

SELECTED = (
    select(
        games.c.id,
        tournaments.c.name.label("tournament"),
        games.c.sha256,
        *(games.c[name] for name in PLAIN),
        *(side.c[name] for name in ("name", "spec", "version") for side in _sides),
        *(games.c[f"{side.name}_{name}"] for name in PAIRS for side in _sides),
        *(games.c[name] for name in LAST),
    )
    .join(_sides[0], _sides[0].c.id == games.c.first_id)
    .join(_sides[1], _sides[1].c.id == games.c.second_id)
    .outerjoin(tournaments, tournaments.c.id == games.c.tournament_id)
)
"""Query for games: number, tournament, checksum of the record, and the columns that a `RowReader` needs."""
GAME_AT = 3
"""Index of the game's first column in such a row."""


def flat(game: Finished) -> dict[str, Any]:
    """Return the columns that are made from the game itself."""
    row: dict[str, Any] = {name: getattr(game, name) for name in (*PLAIN, *LAST)}
    row["seed"] = str(game.seed)
    for name in PAIRS:
        row[f"first_{name}"], row[f"second_{name}"] = game.logs if name == "log" else getattr(game, name)
    return {name: storable(value) if isinstance(value, str) else value for name, value in row.items()}


def storable(text: str) -> str:
    """Return a text as every database takes it: without the character 0 and halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")


class RowReader:
    """Makes games from rows. Equal texts and pairs are kept once, which saves most of the memory of many games."""

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def __call__(self, row: Sequence[Any], record: bytes = b"") -> Finished:
        keep = self._kept.setdefault
        slot, key, turn, game, setup, seed, winner, reason, detail, plies, *rest = row[GAME_AT:]
        names, specs, versions, turns, seconds, longest, late, illegal, logs = zip(
            rest[0:18:2], rest[1:18:2], strict=True
        )
        lead_changes, swing, date = rest[18:21]
        return Finished(
            slot=slot,
            key=key,
            round=turn,
            game=keep(game, game),
            setup=keep(setup, setup),
            players=keep(names, names),
            specs=keep(specs, specs),
            versions=keep(versions, versions),
            seed=int(seed),
            winner=winner,
            reason=keep(reason, reason),
            detail=keep(detail, detail),
            plies=plies,
            turns=keep(turns, turns),
            seconds=seconds,
            longest=longest,
            late=keep(late, late),
            illegal=keep(illegal, illegal),
            lead_changes=lead_changes,
            swing=swing,
            logs=keep(logs, logs),
            date=keep(date, date),
            record=record,
        )
