"""Running games, shown to other processes: a small file for each game in a folder beside the store."""

from __future__ import annotations

import contextlib
import datetime
import time
from pathlib import Path
from typing import Any

import msgspec

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.store.store import DEFAULT
from noctagon.core.events import Event, Played, Skipped
from noctagon.core.game import State
from noctagon.core.registry import find_game

EVERY = 0.5
"""Seconds between two updates of a game's file."""
GRACE = 15.0
"""Seconds beyond the time of two turns after which a file was left over by a program that was killed."""


class RunningGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is being played: its players, setup and current position."""

    tournament: str
    slot: str
    game: str
    players: tuple[str, str]
    setup: str
    rules: dict[str, Any]
    position: str
    turn_seconds: float | None
    since: str


def running_folder(where: str | Path | None) -> Path | None:
    """Return the folder for the running games of a store; None if the store is not a file of this machine."""
    if where is not None and "://" in str(where):
        return None
    return Path(f"{where or DEFAULT}-running")


def play_shown(bout: Bout, tournament: str, folder: Path) -> Finished:
    """Play a game, and write its position to a file at most every `EVERY` seconds; failing to write is no error."""
    game = find_game(bout.game)
    file = folder / f"{bout.key}.json"
    began = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    written = float("-inf")

    def show(state: State[Any]) -> None:
        nonlocal written
        if time.monotonic() - written < EVERY:
            return
        written = time.monotonic()
        shown = RunningGame(
            tournament=tournament,
            slot=bout.slot,
            game=bout.game,
            players=(bout.entrants[0].name, bout.entrants[1].name),
            setup=bout.setup,
            rules=bout.rules,
            position=game.format_position(state),
            turn_seconds=bout.time.turn,
            since=began,
        )
        with contextlib.suppress(OSError):
            folder.mkdir(exist_ok=True)
            draft = file.with_suffix(".new")
            draft.write_bytes(msgspec.json.encode(shown))
            draft.replace(file)

    def listen(event: Event) -> None:
        if isinstance(event, Played | Skipped):
            show(event.after)

    try:
        return bout.play(listen)
    finally:
        with contextlib.suppress(OSError):
            file.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()  # succeeds for the last running game


def running_games(folder: Path | None, tournament: str) -> list[RunningGame]:
    """Return the running games of a tournament in the order in which they began."""
    found: list[RunningGame] = []
    for file in sorted(folder.glob("*.json")) if folder is not None else ():
        with contextlib.suppress(OSError, msgspec.DecodeError):
            game = msgspec.json.decode(file.read_bytes(), type=RunningGame)
            age = time.time() - file.stat().st_mtime
            if game.tournament == tournament and age < 2 * (game.turn_seconds or 0.0) + GRACE:
                found.append(game)
    return sorted(found, key=lambda game: (game.since, game.slot))
