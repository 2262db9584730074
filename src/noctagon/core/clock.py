"""Time controls, and the clock of a turn."""

from __future__ import annotations

import time

import msgspec


class TimeControl(msgspec.Struct, frozen=True):
    """The seconds for a turn and for the whole game; None means no limit.

    The game's time is checked only after the second player's ply, so that both have played equally often.
    """

    turn: float | None = 2.0
    total: float | None = None


class Clock:
    """The clock of one turn, which runs from the moment it is created.

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
        """The time on `time.monotonic()` at which the turn is lost; None without a limit."""
        return None if self.seconds is None else self.started + self.seconds

    def elapsed(self) -> float:
        """Return the seconds since the clock started."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Return the seconds left: never negative, infinite without a limit."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.elapsed())
