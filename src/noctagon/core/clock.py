"""How long a turn and a game may take, and the clock a player is handed with each position."""

from __future__ import annotations

import time

import msgspec


class TimeControl(msgspec.Struct, frozen=True):
    """Seconds per turn, and seconds for the whole game; None means as long as it takes.

    The game's time is looked at only after the second player's ply, so that both have played equally often.
    """

    turn: float | None = 2.0
    total: float | None = None


class Clock:
    """The time of one turn, running since it was made.

    >>> clock = Clock(2.0)
    >>> 1.9 < clock.remaining() <= 2.0
    True
    """

    __slots__ = ("seconds", "started")

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.started = time.monotonic()

    @property
    def deadline(self) -> float | None:
        """The moment on `time.monotonic()` at which the turn is lost; None where there is no limit."""
        return None if self.seconds is None else self.started + self.seconds

    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Seconds left, never negative; infinite where there is no limit."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.elapsed())
