"""The games with their setups and players, and the symbols of their pieces."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from noctagon.core import svg
from noctagon.core.game import Game
from noctagon.core.registry import find_game, game_names
from noctagon.players import describe_player, player_names
from noctagon.web.messages.positions import GameInfo, PlayerInfo, SetupInfo
from noctagon.web.tables.seats import HUMAN

RULE_OPTIONS = ("plies", "majority")
"""Rules that a table can be given besides a rule set, in games that have them."""


@cache
def symbol_sheet(game: str) -> str:
    """Return all symbols of a game in one SVG, without style attributes, which the page's policy forbids."""
    found = svg.read_symbols(find_game(game).initial().symbols(), game)
    elements = "\n".join(symbol.element for symbol in found.values())
    plain = re.sub(r'\sstyle="([^"]*)"', _as_attributes, elements)
    return f'<svg xmlns="{svg.SVG}"><defs>\n{plain}\n</defs></svg>\n'


def _as_attributes(style: re.Match[str]) -> str:
    pairs = (part.split(":", 1) for part in style[1].split(";") if ":" in part)
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)


@cache
def games() -> bytes:
    """Return all games as JSON. The first call imports every player."""
    return msgspec.json.encode([_game(find_game(name)) for name in game_names()])


def _game(game: Game[Any]) -> GameInfo:
    return GameInfo(
        name=game.name,
        title=game.title,
        about=game.about,
        sides=game.sides,
        abilities=game.abilities._asdict(),
        turn_seconds=game.turn_seconds,
        game_seconds=game.game_seconds,
        rule_sets=list(game.rule_sets),
        rule_options=[name for name in game.make_rules().__struct_fields__ if name in RULE_OPTIONS],
        setups=[SetupInfo(name, about) for name, about in game.setups().items()],
        players=[_player(name, game) for name in player_names(game) if name != HUMAN],
        evaluations=list(game.evaluations),
        how_to_play=game.how_to_play.splitlines(),
        notation=game.notation,
        demo=game.demo,
    )


def _player(name: str, game: Game[Any]) -> PlayerInfo:
    about, options = describe_player(name, game)
    plain = {option: default for option, default in options.items() if isinstance(default, str | int | float)}
    return PlayerInfo(name, about, plain)
