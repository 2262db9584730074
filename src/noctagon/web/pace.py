"""How fast a tournament is being played, from when its newest games were played."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import NamedTuple

from noctagon.arena.bout import Finished

IDLE = datetime.timedelta(seconds=45)
"""Without a new game for longer than this and a few games' time, nobody plays."""
PAUSE = datetime.timedelta(seconds=20)
"""Where no game was in the middle for longer than this, playing was resumed afterwards; to start a bot takes less."""
FEWEST = 3
"""Fewer games than this tell nothing."""


class Span(NamedTuple):
    """When a game was played."""

    begin: datetime.datetime
    end: datetime.datetime


def span_of(game: Finished) -> Span:
    """When a game was played, by how long its players thought; long ago if that is not known."""
    try:
        began = datetime.datetime.fromisoformat(game.date)
    except ValueError:
        began = datetime.datetime.min
    if began.tzinfo is None:
        began = began.replace(tzinfo=datetime.UTC)
    return Span(began, began + datetime.timedelta(seconds=sum(game.seconds)))


def pace(spans: Sequence[Span], *, whole: bool) -> float | None:
    """Games a second since playing was last resumed; None if they are too few to tell. `whole`: none came before these.

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
