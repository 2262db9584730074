"""The installed games, found by entry point: those that ship with Noctagon and those of other packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from noctagon.core.game import Game, NoctagonError, UnknownName

GROUP = "noctagon.games"


@cache
def _registered() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def game_names() -> list[str]:
    """Return the names of all installed games that can be played."""
    return [name for name in _registered() if name not in broken_games()]


def wired_games() -> list[str]:
    """Return the names of the games that programs play over a network."""
    return [name for name in game_names() if find_game(name).wire() is not None]


@cache
def broken_games() -> dict[str, str]:
    """Return the installed games that cannot be played, each with the reason: one must not hide the others."""
    reasons = {}
    for name in _registered():
        try:
            find_game(name)
        except NoctagonError as error:
            reasons[name] = str(error)
    return reasons


@cache
def find_game(name: str) -> Game[Any]:
    """Return the game of that name; importing it compiles nothing.

    >>> find_game("wargame").title
    'AI Wargame'
    """
    if name not in _registered():
        raise UnknownName("game", name, _registered())
    try:
        game = _registered()[name].load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise NoctagonError(f"the game {name!r} is installed but cannot be imported: {why}") from error
    if not isinstance(game, Game):
        raise NoctagonError(f"the entry point of {name!r} is {type(game).__name__}, not a noctagon Game")
    for attribute in ("name", "title", "about"):
        if not isinstance(getattr(game, attribute, None), str):
            raise NoctagonError(f"the game {name!r} is installed but has no {attribute}")
    if game.name != name:
        raise NoctagonError(f"the game installed as {name!r} calls itself {game.name!r}")
    return game
