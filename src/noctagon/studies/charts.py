"""The pictures of a report as SVG: small, the same from the same figures, on a light card of their own.

The card keeps them legible on a dark page too. Colours differ in lightness, and every series has a mark of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from noctagon.core.svg import escape, number, tag

CARD, INK, MUTED, FAINT = "#fdfcf9", "#22262e", "#5d6470", "#d6d3ca"
COLOURS = ("#1f5fa8", "#d1495b", "#2f8f5b", "#c98a10", "#7b4fa3", "#555b66")
LETTER = 6.6
"""Mean width of a letter, in pixels at the usual size."""
SIZE = 12
"""Size of the text, in pixels."""


class Point(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float


class ChartRow(NamedTuple):
    """A line of a dot chart: its name, a point for each series, and the value that it is held to."""

    name: str
    points: Mapping[str, Point]
    held_to: float | None = None


class Curve(NamedTuple):
    """A line of a plot: its points by x; dashed where it is not measured but expected."""

    name: str
    points: Mapping[float, Point]
    dashed: bool = False


class Panel(NamedTuple):
    """One plot of several side by side: what x is, and the lines."""

    title: str
    along: str
    curves: Sequence[Curve]


class Axis:
    """A scale from values to pixels, with ticks at round numbers."""

    def __init__(
        self, low: float, high: float, first: float, last: float, *, logarithmic: bool = False
    ) -> None:
        self.logarithmic = logarithmic
        if logarithmic:
            low, high = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
            high = max(high, low + 1)
            step = ceil((high - low) / 6)
            self.ticks = [10.0**power for power in range(int(low), int(high) + 1, step)]
        else:
            high = high if high > low else low + 1
            step = 10 ** floor(log10((high - low) / 4))
            step *= next(factor for factor in (1, 2, 2.5, 5, 10) if (high - low) / (step * factor) <= 5.01)
            self.ticks = [
                step * place for place in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
            ]
        self.low, self.high, self.first, self.last = low, high, first, last

    def at(self, value: float) -> float:
        """Return the place of a value in pixels."""
        place = log10(value) if self.logarithmic else value
        return self.first + (place - self.low) / (self.high - self.low) * (self.last - self.first)


def percents(name: str, score: tuple[float, float, float], held_to: float | None = None) -> ChartRow:
    """Return a score with its interval as a row in percent; a bar of one half is everybody's and not marked."""
    marked = None if held_to in (None, 0.5) else 100 * (held_to or 0)
    return ChartRow(name, {"": Point(*(100 * value for value in score))}, marked)


def dots(
    rows: Sequence[ChartRow],
    *,
    label: str,
    span: tuple[float, float] | None = None,
    line: float | None = None,
    logarithmic: bool = False,
) -> str:
    """Draw rows of values with their intervals, one below the other, and a dashed line to compare them with."""
    series = list(dict.fromkeys(name for row in rows for name in row.points))
    names = [wrapped(row.name) for row in rows]
    left = 16 + LETTER * max((len(text) for name in names for text in name), default=0)
    width, top = max(640.0, left + 420), 14.0
    heights = [14.0 * len(name) + 10 for name in names]
    bottom = top + sum(heights)
    values = [value for row in rows for point in row.points.values() for value in point]
    values += [line] if line is not None else []
    low, high = span or (min(values, default=0.0), max(values, default=1.0))
    axis = Axis(low, high, left + 8, width - 24, logarithmic=logarithmic)
    marks: list[str] = []
    for tick in axis.ticks:
        marks.append(_line(axis.at(tick), top, axis.at(tick), bottom, FAINT))
        marks.append(_text(axis.at(tick), bottom + 16, figure(tick), "middle", MUTED))
    if line is not None:
        marks.append(_line(axis.at(line), top, axis.at(line), bottom, INK, dashes="3 3"))
    place = top
    for row, name, height in zip(rows, names, heights, strict=True):
        middle = place + height / 2
        for line_number, text in enumerate(name):
            marks.append(_text(left, middle + 4 + 14 * (line_number - (len(name) - 1) / 2), text, "end"))
        if row.held_to is not None:
            marks.append(
                _line(
                    axis.at(row.held_to), place + 2, axis.at(row.held_to), place + height - 2, COLOURS[1], 2.5
                )
            )
        for key, point in row.points.items():
            order = series.index(key)
            if point.low != point.high:
                marks.append(
                    _line(axis.at(point.low), middle, axis.at(point.high), middle, colour(order), 2.5)
                )
            marks.append(mark(order, axis.at(point.value), middle))
        place += height
    marks.append(_text((left + width) / 2, bottom + 36, label, "middle"))
    height = bottom + 46
    if series != [""]:
        marks += _key(series, 16, bottom + 58, width=width)
        height += 22 * _key_rows(series, width)
    return _card(width, height, marks, label)


def lines(panels: Sequence[Panel], *, label: str, logarithmic: bool = False) -> str:
    """Draw lines with intervals in panels side by side; x has one place for each value that occurs."""
    wide, left, top, high = 320.0, 62.0, 40.0, 210.0
    keys = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    marks: list[str] = []
    for place, panel in enumerate(panels):
        start = place * (wide + 20) + left
        ticks = sorted({x for curve in panel.curves for x in curve.points})
        values = [value for curve in panel.curves for point in curve.points.values() for value in point]
        low, most = (min(values, default=0.0), max(values, default=1.0)) if values else (0.0, 1.0)
        low = low if logarithmic else min(0.0, low)
        axis = Axis(low, most, top + high, top, logarithmic=logarithmic)
        across = Axis(-0.4, len(ticks) - 0.6, start, start + wide - left - 8)
        for tick in axis.ticks:
            marks.append(_line(start, axis.at(tick), start + wide - left - 8, axis.at(tick), FAINT))
            marks.append(_text(start - 6, axis.at(tick) + 4, figure(tick), "end", MUTED))
        for line_number, x in enumerate(ticks):
            marks.append(_text(across.at(line_number), top + high + 18, f"{x:g}", "middle", MUTED))
        marks.append(_text(start - left + 8, 20, panel.title or label, "start"))
        marks.append(_text(start + (wide - left) / 2, top + high + 38, panel.along, "middle"))
        for curve in panel.curves:
            order = keys.index(curve.name)
            aside = 0.04 * order if len(panel.curves) > 1 else 0.0  # beside each other, not on top
            places = {across.at(ticks.index(x) + aside): point for x, point in curve.points.items()}
            marks += _curve(places, axis.at, order, dashed=curve.dashed)
    height, width = top + high + 50, len(panels) * (wide + 20)
    if len(keys) > 1 and any(len(panel.curves) > 1 for panel in panels):
        marks += _key(
            keys, 16, height + 12, width=width, dashed={c.name for p in panels for c in p.curves if c.dashed}
        )
        height += 22 * _key_rows(keys, width) + 4
    return _card(width, height, marks, label)


def _curve(
    points: Mapping[float, Point], up: Callable[[float], float], order: int, *, dashed: bool
) -> Iterator[str]:
    """Draw a line through points by their place in pixels."""
    places = " ".join(f"{number(x)},{number(up(point.value))}" for x, point in points.items())
    shade = INK if dashed else colour(order)
    dashes = {"stroke_dasharray": "5 4"} if dashed else {}
    yield tag("polyline", points=places, fill="none", stroke=shade, stroke_width=1.6, **dashes)
    for x, point in points.items():
        if point.low != point.high:
            yield _line(x, up(point.low), x, up(point.high), shade, 1.6)
        if not dashed:
            yield mark(order, x, up(point.value))


def mark(order: int, x: float, y: float) -> str:
    """Draw the mark of a series: a dot, a square, a diamond, a triangle, and again."""
    shade = colour(order)
    match order % 4:
        case 0:
            return tag("circle", cx=number(x), cy=number(y), r=4, fill=shade)
        case 1:
            return tag("rect", x=number(x - 3.5), y=number(y - 3.5), width=7, height=7, fill=shade)
        case 2:
            return tag("path", d=f"M{number(x)},{number(y - 5)}l5,5l-5,5l-5,-5z", fill=shade)
        case _:
            return tag("path", d=f"M{number(x)},{number(y - 5)}l5,9h-10z", fill=shade)


def colour(order: int) -> str:
    """Return the colour of a series."""
    return COLOURS[order % len(COLOURS)]


def figure(value: float) -> str:
    """Return a tick's number.

    >>> [figure(value) for value in (0.001, 2.5, 1000.0, 2e6, -50.0)]
    ['0.001', '2.5', '1,000', '2M', '-50']
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"


def wrapped(name: str, most: int = 34) -> list[str]:
    """Return a name without its marks, a long one on two lines.

    >>> wrapped("twilight max_groups=3 against twilight max_groups=1")
    ['twilight max_groups=3', 'against twilight max_groups=1']
    """
    name = name.replace("`", "")
    one, found, other = name.partition(" against ")
    return [name] if len(name) <= most or not found else [one, f"against {other}"]


def _key(
    names: Sequence[str], x: float, y: float, *, width: float = 640, dashed: Collection[str] = ()
) -> Iterator[str]:
    """Draw the names of the series with their marks."""
    for order, name in enumerate(names):
        column, line = order % _key_columns(width), order // _key_columns(width)
        left, middle = x + 230 * column, y + 22 * line
        if name in dashed:
            yield _line(left - 6, middle, left + 10, middle, INK, dashes="5 4")
        else:
            yield mark(order, left + 2, middle)
        yield _text(left + 16, middle + 4, name, "start")


def _key_columns(width: float) -> int:
    return max(1, int((width - 16) / 230))


def _key_rows(names: Sequence[str], width: float) -> int:
    return -(-len(names) // _key_columns(width))


def _line(
    x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1, *, dashes: str = ""
) -> str:
    ends = {"x1": number(x1), "y1": number(y1), "x2": number(x2), "y2": number(y2)}
    extra = {"stroke_dasharray": dashes} if dashes else {}
    return tag("line", stroke=stroke, stroke_width=width, **ends, **extra)


def _text(x: float, y: float, text: str, anchor: str, fill: str = INK) -> str:
    return tag("text", escape(text), x=number(x), y=number(y), text_anchor=anchor, fill=fill)


def _card(width: float, height: float, marks: Sequence[str], says: str) -> str:
    paper = tag("rect", width=number(width), height=number(height), fill=CARD)
    return tag(
        "svg",
        "\n".join((paper, *marks)),
        xmlns="http://www.w3.org/2000/svg",
        width=number(width),
        height=number(height),
        viewBox=f"0 0 {number(width)} {number(height)}",
        font_family="system-ui, sans-serif",
        font_size=SIZE,
        role="img",
        aria_label=says,
    )
