"""A position as a user names it: a setup, a text in the game's notation, or a ply of a recorded game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from noctagon.core.game import NoctagonError
from noctagon.core.text import describe_games, describe_plies

if TYPE_CHECKING:
    from noctagon.core.game import Game, Rules, State

RECORDS = (".json", ".jsonl")
"""The endings of the names of record files."""


def is_position(setup: str) -> bool:
    """Return whether a setup is the text of a position: it has several words, and is not a map's file.

    >>> is_position("3x3 V2,2:4 W0,0:4 V 0"), is_position("my maps/a.xml")
    (True, False)
    """
    return len(setup.split()) > 1 and not setup.lower().endswith(".xml")


def is_record(text: str) -> bool:
    """Return whether a text names a record file: by the end of its name, or because there is such a file."""
    return text.endswith(RECORDS) or Path(text).is_file()


def find_position(game: Game[Any], text: str, rules: Rules) -> State[Any]:
    """Return the position that a text names: FILE@PLY or FILE@GAME:PLY, a setup, or the game's notation."""
    if not text.strip():
        raise NoctagonError("the position is empty; name a map or opening, or write a position")
    file, at, where = text.rpartition("@")
    if at and is_record(file):
        return _recorded_position(game, Path(file), where)
    if text.endswith(RECORDS):
        raise NoctagonError(f"{text}: say at which ply, as in {text}@12")
    if is_position(text):
        return game.parse_position(text, rules)
    return game.initial(text, rules)


def _recorded_position(game: Game[Any], file: Path, where: str) -> State[Any]:
    from noctagon.core.record import read_records  # only a record needs the modules that read one

    number, colon, ply = where.rpartition(":")
    if not ply.isdecimal() or (colon and not number.isdecimal()):
        raise NoctagonError(f"{file}@{where}: after the @ comes a ply, or game:ply, as in {file}@12")
    records = read_records(file).records
    which = int(number or 1)
    if not 1 <= which <= len(records):
        raise NoctagonError(f"{file} holds {describe_games(len(records))}, so there is no game {which}")
    record = records[which - 1]
    if record.game != game.name:
        raise NoctagonError(f"{file} is a game of {record.game}, not of {game.name}")
    states = list(record.states(game))
    if int(ply) >= len(states):
        raise NoctagonError(f"the game has {describe_plies(len(states) - 1)}, so there is no ply {ply}")
    return states[int(ply)]
