"""A finished game from its record alone: what the store keeps of a game that was refereed elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from noctagon.arena.bout import Finished, finished_game
from noctagon.core.game import NoctagonError, State
from noctagon.core.record import Record
from noctagon.core.registry import game_names


class StoredSummary(NamedTuple):
    """A game, and what is wrong with its record, if anything."""

    game: Finished
    trouble: str = ""


def summarise(record: Record, raw: bytes) -> StoredSummary:
    """Return what is kept of a game that has to be replayed for it."""
    trouble = ""
    states: list[State[Any]] = []
    try:
        states = list(record.states())
        trouble = record.contradiction(states[-1])
    except NoctagonError as error:
        # The record of a game that is not installed here is kept without a word.
        trouble = str(error) if record.game in game_names() else ""
    return StoredSummary(finished_game(record, states, raw), trouble)
