"""When a game on a server will end: it does not say after how many plies, and may count time as well."""

from __future__ import annotations

import math

PRIOR_PLIES = 10
"""Number of plies that are taken to have lasted a whole turn's time, before the real ones count."""
SLACK = 0.2
"""Share of the plies left by which an estimate differs that replaces an earlier one: so results of searches last."""


class Horizon:
    """Estimates the last ply of a game that ends after a number of plies, or of seconds if they are over sooner.

    >>> horizon = Horizon(plies=200, duration=300.0, turn=2.0)
    >>> horizon.at(0, 0.0), horizon.at(60, 30.0), horizon.at(100, 290.0)
    (150, 200, 104)
    """

    def __init__(self, *, plies: int, duration: float | None, turn: float) -> None:
        self.plies = plies
        self.duration = duration
        self.turn = turn
        self._last = plies

    def at(self, ply: int, seconds: float) -> int:
        """Return the last ply, by the pace so far; without a limit of time once that has passed."""
        estimate = self.plies
        if self.duration is not None and seconds < self.duration:
            pace = (seconds + PRIOR_PLIES * self.turn) / (ply + PRIOR_PLIES)
            left = math.ceil((self.duration - seconds) / pace)
            estimate = min(self.plies, ply + left + (ply + left) % 2)  # both play equally often
        if abs(estimate - self._last) > SLACK * max(0, min(estimate, self._last) - ply):
            self._last = estimate
        return self._last
