"""A finished game from its record alone: what the store keeps of a game that it did not see."""

from __future__ import annotations

from typing import NamedTuple

from noctagon.arena.bout import Finished, liveliness
from noctagon.core.game import NoctagonError, Result
from noctagon.core.record import Record
from noctagon.core.registry import game_names

UNFINISHED = "unfinished"
"""The reason of a game without a result: broken off, or its record is cut off."""
LARGEST = 2**63 - 1
"""The largest number that a column holds."""


class StoredSummary(NamedTuple):
    """The game, and what is wrong with its record, if anything."""

    game: Finished
    trouble: str = ""


def summarise(record: Record, raw: bytes) -> StoredSummary:
    """What a record tells of its game."""
    trouble = ""
    lead_changes, swing = 0, 0.0
    try:
        states = list(record.states())
        lead_changes, swing = liveliness(states)
        trouble = record.contradiction(states[-1])
    except NoctagonError as error:
        trouble = (
            str(error) if record.game in game_names() else ""
        )  # of other games, the record is kept as it is
    turns = [[turn for turn in record.turns if turn.side == side] for side in (0, 1)]
    result = record.result or Result(None, UNFINISHED)
    return StoredSummary(
        Finished(
            slot="",
            key="",
            round=0,
            game=record.game,
            setup=record.setup,
            players=record.called,
            specs=record.players,
            versions=("", ""),
            seed=record.seed,
            winner=result.winner,
            reason=result.reason,
            detail=result.detail,
            plies=len(record.turns),
            turns=(len(turns[0]), len(turns[1])),
            seconds=(sum(turn.seconds for turn in turns[0]), sum(turn.seconds for turn in turns[1])),
            longest=(
                max((turn.seconds for turn in turns[0]), default=0.0),
                max((turn.seconds for turn in turns[1]), default=0.0),
            ),
            late=(_count(record.conduct[0].late), _count(record.conduct[1].late)),
            illegal=(_count(record.conduct[0].illegal), _count(record.conduct[1].illegal)),
            lead_changes=lead_changes,
            swing=swing,
            logs=("", ""),
            date=record.date,
            record=raw.strip(),
        ),
        trouble,
    )


def _count(told: int) -> int:
    return max(0, min(told, LARGEST))
