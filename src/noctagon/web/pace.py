"""The pace of a tournament, computed from the times of its newest games."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import NamedTuple

from noctagon.arena.bout import Finished

IDLE = datetime.timedelta(seconds=45)
"""Time without a new game, beyond the length of a few games, after which a tournament counts as idle."""
PAUSE = datetime.timedelta(seconds=20)
"""Time without a game after which playing counts as resumed; starting a bot takes less."""
FEWEST = 3
"""Minimum number of games from which a pace is computed."""


class Span(NamedTuple):
    """The time in which a game was played."""

    begin: datetime.datetime
    end: datetime.datetime


def span_of(game: Finished) -> Span:
    """Return when a game was played, by how long its players thought; long ago if that is not known."""
    try:
        began = datetime.datetime.fromisoformat(game.date)
    except ValueError:
        began = datetime.datetime.min
    if began.tzinfo is None:
        began = began.replace(tzinfo=datetime.UTC)
    return Span(began, began + datetime.timedelta(seconds=sum(game.seconds)))


def pace(spans: Sequence[Span], *, whole: bool) -> float | None:
    """Return games per second since playing was last resumed, or None for too few. `whole`: no games came before these.

    It counts from when the first game began. Where that is not among these, it counts from when the oldest ended.
    """
    resumed, until = 0, min(span.begin for span in spans)
    for number, span in enumerate(spans):
        if span.begin - until > PAUSE:
            resumed = number
        until = max(until, span.end)
    present = spans[resumed:]
    if resumed or whole:
        games, since = len(present), min(span.begin for span in present)
    else:
        games, since = len(present) - 1, present[0].end
    seconds = (until - since).total_seconds()
    return games / seconds if len(present) >= FEWEST and seconds > 0 else None
