"""The options of players: read from text, checked, described."""

from __future__ import annotations

import contextlib
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noctagon.core.game import Evaluation, Game, NoctagonError, UnknownName

_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def option_defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Return a player's options with their defaults: the keyword arguments of its class."""
    parameters = inspect.signature(make).parameters.values()
    return {p.name: p.default for p in parameters if p.name != "game" and p.default is not p.empty}


def describe_options(make: Callable[..., Any]) -> str:
    """Describe a player's options with their defaults, as they are written in a spec."""
    return ", ".join(f"{name}={default}" for name, default in option_defaults(make).items()) or "none"


def read_options(player: str, make: Callable[..., Any], options: Mapping[str, str]) -> dict[str, Any]:
    """Return options converted to the types of the class's arguments; raise an error for an unknown one."""
    parameters = inspect.signature(make).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    hints: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # a user's annotation may name what only type checkers import
        hints = typing.get_type_hints(make if inspect.isfunction(make) else make.__init__)
    defaults = option_defaults(make)
    read: dict[str, Any] = {}
    for name, text in options.items():
        if name not in parameters and not takes_any:
            raise NoctagonError(f"{player} has no option {name!r}")
        kind = hints.get(name, type(defaults.get(name, "")))
        read[name] = _convert(player, name, text, kind)
    return read


def _convert(player: str, name: str, text: str, kind: Any) -> Any:
    try:
        if kind is bool:
            return _YES_NO[text.lower()]
        if kind in (int, float):
            return kind(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
        raise NoctagonError(f"{player}: {name}={text} should be {wanted}") from None
    return text


def find_evaluation(game: Game[Any], name: str) -> Evaluation:
    """Return a game's evaluation by name, by default its first; a game without any is judged by its score."""
    if name and name not in game.evaluations:
        raise UnknownName(f"evaluation of {game.name}", name, game.evaluations)
    if not game.evaluations:
        return lambda state: state.score()[0] - state.score()[1]
    return game.evaluations[name or next(iter(game.evaluations))]


def find_generator(game: Game[Any], name: str) -> str | None:
    """Return a checked name of a game's move generator, or None for its default."""
    if name and name not in game.generators:
        raise UnknownName(f"move generator of {game.name}", name, game.generators)
    return name or None


def checked_number(player: str, option: str, value: float, low: float, high: float) -> float:
    """Return a number; raise an error if it is not from `low` to `high`."""
    if not low <= value <= high:
        raise NoctagonError(f"{player}: {option}={value:g} should be {low:g} to {high:g}")
    return value


def checked_choice(player: str, option: str, value: str, known: Sequence[str]) -> str:
    """Return a word; raise an error if it is not one of those known."""
    if value not in known:
        raise NoctagonError(f"{player}: {option}={value} should be {' or '.join(known)}")
    return value
