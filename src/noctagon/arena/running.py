"""What is being played right now, for whoever looks: a small file for each game in a folder beside the store."""

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
"""Seconds between two writings of the same game."""
GRACE = 15.0
"""A file that has not been written for two turns' time and so long is left over from a program that was killed."""


class RunningGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game in the middle: who plays, where, and how it stands."""

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
    """Where the running games of a store are shown; None where it is not a file of this machine."""
    if where is not None and "://" in str(where):
        return None
    return Path(f"{where or DEFAULT}-running")


def play_shown(bout: Bout, tournament: str, folder: Path) -> Finished:
    """Play a game, and show how it stands a few times a second at most. To show nothing is no fault."""
    game = find_game(bout.game)
    file = folder / f"{bout.key}.json"
    began = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    written = float("-inf")

    def show(state: State[Any]) -> None:
        nonlocal written
        if time.monotonic() - written < EVERY:
            return
        written = time.monotonic()
        told = RunningGame(
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
            draft.write_bytes(msgspec.json.encode(told))
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
            folder.rmdir()  # the last one to leave


def running_games(folder: Path | None, tournament: str) -> list[RunningGame]:
    """The games of a tournament that are being played, in the order they began."""
    found: list[RunningGame] = []
    for file in sorted(folder.glob("*.json")) if folder is not None else ():
        with contextlib.suppress(OSError, msgspec.DecodeError):
            game = msgspec.json.decode(file.read_bytes(), type=RunningGame)
            age = time.time() - file.stat().st_mtime
            if game.tournament == tournament and age < 2 * (game.turn_seconds or 0.0) + GRACE:
                found.append(game)
    return sorted(found, key=lambda game: (game.since, game.slot))
