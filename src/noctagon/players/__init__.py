"""The registry of players: those for every game, and those a game brings itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from noctagon.core.game import Game, NoctagonError, UnknownName
from noctagon.core.player import PlayerSpec
from noctagon.players.options import describe_options, option_defaults, read_options

FOR_EVERY_GAME = {
    "random": "noctagon.players.simple:RandomPlayer",
    "greedy": "noctagon.players.simple:GreedyPlayer",
    "minimax": "noctagon.players.minimax:MinimaxPlayer",
    "alphabeta": "noctagon.players.minimax:AlphaBetaPlayer",
    "expectiminimax": "noctagon.players.minimax:ExpectiminimaxPlayer",
    "mcts": "noctagon.players.mcts:MctsPlayer",
    "human": "noctagon.players.human:HumanPlayer",
}

BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def player_names(game: Game[Any]) -> list[str]:
    """Return the names of a game's players; a game's own player replaces one for every game."""
    return sorted({*FOR_EVERY_GAME, *game.players})


def find_player(name: str, game: Game[Any]) -> Callable[..., Any]:
    """Return the class behind a name."""
    table = {**FOR_EVERY_GAME, **game.players}
    if name not in table:
        raise UnknownName(f"player of {game.name}", name, table)
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def make_player(spec: PlayerSpec, game: Game[Any], make: Callable[..., Any] | None = None) -> Any:
    """Make a player from its spec; `make` is the class if it is not in the registry."""
    make = make or find_player(spec.name, game)
    try:
        options = read_options(spec.name, make, spec.options)
        parameters = inspect.signature(make).parameters
        if "game" in parameters:
            options["game"] = game
        needed = [p.name for p in parameters.values() if p.default is p.empty and p.kind in BY_NAME]
        if missing := [f"{name}=…" for name in needed if name not in options]:
            raise NoctagonError(f"{spec.name} cannot be made without {', '.join(missing)}")
        player = make(**options)
    except NoctagonError as error:
        if not spec.options:
            raise
        raise NoctagonError(f"{error}; it has {describe_options(make)}") from error
    if not callable(getattr(player, "choose", None)):
        raise NoctagonError(f"{spec}: a player needs a method choose(self, state, clock)")
    try:
        inspect.signature(player.choose).bind("state", "clock")
    except TypeError as error:
        raise NoctagonError(f"{spec}: {error} when it is asked; define choose(self, state, clock)") from None
    except ValueError:
        pass  # it has no signature to read
    return player


def describe_player(name: str, game: Game[Any]) -> tuple[str, Mapping[str, Any]]:
    """Return a sentence about a player, and its options with their defaults."""
    make = find_player(name, game)
    return (inspect.getdoc(make) or "").split("\n\n")[0].replace("\n", " "), option_defaults(make)
