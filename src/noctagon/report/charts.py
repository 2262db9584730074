"""The charts of the page: strips of SVG, one in each row of a table, whose text is part of the table.

Positions along a strip are percentages of its width, so it stretches with the page without distorting anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from noctagon.core.svg import number, tag
from noctagon.report.markup import elo

MOST_BEYOND = 400.0
"""Elo beyond all ratings at which an error bar is cut off."""


class Scale(NamedTuple):
    """The values at the left and right border of a strip, and those at which lines are drawn."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return f"{number(100 * min(1.0, max(0.0, share)))}%"

    def wide(self, low: float, high: float) -> str:
        """Return the width from one value to another, in percent."""
        return f"{number(100 * (min(high, self.high) - max(low, self.low)) / (self.high - self.low))}%"


def scale(low: float, high: float, *, ticks: int = 5) -> Scale:
    """Return a scale from one value to another, with about `ticks` lines at round numbers."""
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    step = 10 ** math.floor(math.log10((high - low) / ticks))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= ticks + 1)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return Scale(low, high, tuple(round(mark * step, 6) for mark in range(first, last + 1)))


def rating_scale(ratings: Iterable[tuple[float, float]]) -> Scale:
    """Return the scale for ratings with their errors; a very large error does not stretch it."""
    finite = [(elo, error) for elo, error in ratings if math.isfinite(elo)]
    if not finite:
        return scale(-100, 100)
    lowest, highest = min(elo for elo, _ in finite), max(elo for elo, _ in finite)
    ends = [(elo - error, elo + error) for elo, error in finite if math.isfinite(error)]
    low = max(lowest - MOST_BEYOND, min((end for end, _ in ends), default=lowest))
    high = min(highest + MOST_BEYOND, max((end for _, end in ends), default=highest))
    margin = 0.03 * (high - low) + 5
    return scale(min(low, lowest) - margin, max(high, highest) + margin)


def rating_strip(scale: Scale, elo: float, error: float, says: str) -> str:
    """Draw a rating as a dot with its error bar."""
    marks = _grid(scale)
    if math.isfinite(elo):
        low, high = (elo - error, elo + error) if math.isfinite(error) else (scale.low, scale.high)
        left, right = scale.at(low), scale.at(high)
        marks += tag("line", cls="error", x1=left, x2=right, y1="50%", y2="50%")
        marks += "".join(
            tag("line", cls="error", x1=end, x2=end, y1="32%", y2="68%")
            for end, value in ((left, low), (right, high))
            if scale.low < value < scale.high
        )
        marks += tag("circle", cls="dot", cx=scale.at(elo), cy="50%", r="0.36em")
    return _strip(marks, says)


def axis_strip(scale: Scale, label: str) -> str:
    """Draw the numbers under a column of strips."""
    marks = "".join(
        tag(
            "text",
            elo(tick),
            cls="tick" if place % 2 == 0 else "tick odd",
            x=scale.at(tick),
            y="1.1em",
        )
        for place, tick in enumerate(scale.ticks)
    )
    return _strip(marks, label, cls="strip axis")


def side_strip(shares: Sequence[float | None], says: str) -> str:
    """Draw the scores moving first and second as two bars, with a line at one half."""
    whole = Scale(0, 1, (0.5,))
    bars = "".join(
        tag("rect", cls=f"bar {side}", x="0", y=top, width=whole.wide(0, share), height="30%", rx="2")
        for share, side, top in zip(shares, ("first", "second"), ("14%", "56%"), strict=True)
        if share is not None
    )
    return _strip(bars + _grid(whole), says)


def balance_strip(first: float, draws: float, second: float, says: str) -> str:
    """Draw wins of the first player, draws and wins of the second as one bar, with a line at one half."""
    whole = Scale(0, first + draws + second or 1, ((first + draws + second or 1) / 2,))
    bars, left = "", 0.0
    for value, cls in ((first, "first"), (draws, "drawn"), (second, "second")):
        if value:
            place = {"x": whole.at(left), "width": whole.wide(left, left + value)}
            bars += tag("rect", cls=f"bar {cls}", y="20%", height="60%", **place)
        left += value
    return _strip(bars + _grid(whole), says)


def time_strip(scale: Scale, mean: float, longest: float, limit: float | None, says: str) -> str:
    """Draw the mean time of a turn as a bar, the longest as a dot, and the limit as a line."""
    marks = tag("rect", cls="bar time", x="0", y="26%", width=scale.wide(0, mean), height="48%", rx="2")
    marks += tag("line", cls="error thin", x1="0", x2=scale.at(longest), y1="50%", y2="50%")
    marks += tag("circle", cls="dot", cx=scale.at(longest), cy="50%", r="0.25em")
    if limit is not None:
        marks += tag("line", cls="limit", x1=scale.at(limit), x2=scale.at(limit), y1="0", y2="100%")
    return _strip(marks, says)


def lead_curve(shares: Sequence[float]) -> str:
    """Draw the lead over the game: above the middle the first player's, below it the second's.

    Small leads are enlarged, since a player that is destroyed in the end would otherwise flatten all before it.
    """
    last = max(1, len(shares) - 1)
    leads = [math.copysign(math.sqrt(abs(share - 0.5)), share - 0.5) for share in shares]
    most = max(map(abs, leads), default=0.0) or 1.0
    points = " ".join(
        f"{number(1000 * ply / last)},{number(50 - 46 * lead / most)}" for ply, lead in enumerate(leads)
    )
    area = f"M0,50 L{points} L1000,50Z"
    inside = (
        tag("path", cls="ahead", d=area)
        + tag("line", cls="half", x1=0, x2=1000, y1=50, y2=50)
        + tag("polyline", cls="curve", points=points)
        + tag("line", cls="now", x1=0, x2=0, y1=0, y2=100)
    )
    return tag(
        "svg", inside, cls="lead", viewBox="0 0 1000 100", preserveAspectRatio="none", aria_hidden="true"
    )


def _grid(scale: Scale) -> str:
    return "".join(
        tag("line", cls="grid", x1=scale.at(tick), x2=scale.at(tick), y1="0", y2="100%")
        for tick in scale.ticks
    )


def _strip(inside: str, says: str, cls: str = "strip") -> str:
    return tag("svg", inside or " ", cls=cls, role="img", aria_label=says)
