"""A ring for game-playing AIs: the names that users of the library import, each loaded when first used.

>>> import noctagon
>>> match = noctagon.play_game("wargame", "greedy", "random", seed=1)
>>> match.result.describe(match.state.sides)
"Attacker won: the Defender's AI is destroyed after 12 turns"
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noctagon.core.board import Arrow, Piece, View
    from noctagon.core.clock import Clock, TimeControl
    from noctagon.core.events import Ended, Played, Skipped
    from noctagon.core.game import (
        Abilities,
        Actions,
        BadNotation,
        Chance,
        Dice,
        Game,
        IllegalAction,
        NoctagonError,
        Outcome,
        Result,
        Rules,
        State,
        UnknownName,
    )
    from noctagon.core.match import Match
    from noctagon.core.player import Decision, GameStart, Player, PlayerSpec, Searcher, Thought
    from noctagon.core.record import Record, read_records
    from noctagon.core.registry import find_game, game_names
    from noctagon.core.wire import Wire
    from noctagon.players import make_player, player_names
    from noctagon.players.analysis import analyse, analysis
    from noctagon.processes.play import play_game

_MODULES = {
    "core.board": "Arrow Piece View",
    "core.clock": "Clock TimeControl",
    "core.events": "Ended Played Skipped",
    "core.game": "Abilities Actions BadNotation Chance Dice Game IllegalAction NoctagonError Outcome Result Rules "
    "State UnknownName",
    "core.match": "Match",
    "core.player": "Decision GameStart Player PlayerSpec Searcher Thought",
    "core.record": "Record read_records",
    "core.registry": "find_game game_names",
    "core.wire": "Wire",
    "players": "make_player player_names",
    "players.analysis": "analyse analysis",
    "processes.play": "play_game",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Abilities",
    "Actions",
    "Arrow",
    "BadNotation",
    "Chance",
    "Clock",
    "Decision",
    "Dice",
    "Ended",
    "Game",
    "GameStart",
    "IllegalAction",
    "Match",
    "NoctagonError",
    "Outcome",
    "Piece",
    "Played",
    "Player",
    "PlayerSpec",
    "Record",
    "Result",
    "Rules",
    "Searcher",
    "Skipped",
    "State",
    "Thought",
    "TimeControl",
    "UnknownName",
    "View",
    "Wire",
    "__version__",
    "analyse",
    "analysis",
    "find_game",
    "game_names",
    "make_player",
    "play_game",
    "player_names",
    "read_records",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("noctagon")
    elif name in _HOME:
        value = getattr(import_module(f"noctagon.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'noctagon' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
